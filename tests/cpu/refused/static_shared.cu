// expect: static_shared.cu:5:.*limit exceeded: a kernel's static __shared__ variables may have 49152 bytes
template <class T>
__global__ void k(T* out) {
  __shared__ T a[8192];
  __shared__ T b[8192];
  out[threadIdx.x] = a[0] + b[0];
}
int main() {
  k<<<1, 32>>>(static_cast<float*>(nullptr));
}
