// expect: inline_ptx.cu:4:.*inline PTX 'ldmatrix.sync.aligned.m8n8.x1.shared.b16' is not supported
__global__ void k(unsigned* out, unsigned at) {
  unsigned r;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(at));
  out[0] = r;
}
int main() {
  k<<<1, 32>>>(nullptr, 0);
}
