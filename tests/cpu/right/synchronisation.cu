// Right ways in which the threads of a block order what they do in memory: no alarm in any build.
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda/barrier>

#include "check.h"

namespace cg = cooperative_groups;

// A tree with barriers, whose last warp goes on with __syncwarp between reading and writing.
__global__ void tree_then_warp(const float* x, float* out) {
  __shared__ float s[128];
  const int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  for (int k = 64; k >= 32; k /= 2) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  if (t >= 32) return;
  float v = s[t];
  for (int k = 16; k > 0; k /= 2) {
    v += s[t ^ k];
    __syncwarp();
    s[t] = v;
    __syncwarp();
  }
  if (t == 0) *out = v;
}
// The same with volatile, as it was written before Volta, and the __syncwarp that Volta asks for.
__global__ void volatile_warp(const float* x, float* out) {
  __shared__ volatile float s[64];
  const int t = threadIdx.x;
  s[t] = x[t];
  s[t + 32] = x[t + 32];
  __syncwarp();
  for (int k = 32; k > 0; k /= 2) {
    float other = 0;
    if (t < k) other = s[t + k];
    __syncwarp();
    if (t < k) s[t] = s[t] + other;
    __syncwarp();
  }
  if (t == 0) *out = s[0];
}
// One warp's row is no other warp's business.
__global__ void row_of_a_warp(const float* x, float* y) {
  __shared__ float rows[4][33];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int turn = 0; turn < 3; ++turn) {
    rows[warp][lane] = x[threadIdx.x] + turn;
    __syncwarp();
    y[turn * 128 + threadIdx.x] = rows[warp][31 - lane];
    __syncwarp();
  }
}
// Tiles of half a warp synchronise for themselves.
__global__ void tiles_of_16(int* out) {
  __shared__ int s[64];
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int* const mine = s + tile.meta_group_rank() * 16;
  if (tile.thread_rank() == 0)
    for (int i = 0; i < 16; ++i) mine[i] = i * i;
  tile.sync();
  out[threadIdx.x] = mine[15 - tile.thread_rank()];
}
// The tile of a product is used again after a second barrier.
__global__ void tiled_product(const float* a, const float* b, float* c, int n) {
  __shared__ float x[8][8], y[8][8];
  const int i = threadIdx.y, j = threadIdx.x;
  const int row = blockIdx.y * 8 + i, column = blockIdx.x * 8 + j;
  float sum = 0;
  for (int k = 0; k < n; k += 8) {
    x[i][j] = a[row * n + k + j];
    y[i][j] = b[(k + i) * n + column];
    __syncthreads();
    for (int m = 0; m < 8; ++m) sum += x[i][m] * y[m][j];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
// Two buffers filled by asynchronous copies.
__global__ void pipelined(const float* x, float* y, int turns) {
  __shared__ float buffer[2][64];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&buffer[0][t], &x[t], 4);
  __pipeline_commit();
  float sum = 0;
  for (int i = 0; i < turns; ++i) {
    if (i + 1 < turns) __pipeline_memcpy_async(&buffer[(i + 1) & 1][t], &x[(i + 1) * 64 + t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += buffer[i & 1][63 - t];
    __syncthreads();
  }
  y[t] = sum;
}
// One warp makes, the other one uses; a barrier object each way.
__global__ void producer_and_consumer(const int* x, int* y, int turns) {
  __shared__ int slot[32];
  __shared__ cuda::barrier<cuda::thread_scope_block> full, empty;
  if (threadIdx.x == 0) {
    init(&full, 64);
    init(&empty, 64);
  }
  __syncthreads();
  const int lane = threadIdx.x % 32;
  for (int i = 0; i < turns; ++i) {
    if (threadIdx.x < 32) {
      slot[lane] = x[i * 32 + lane];
      full.arrive();
      empty.arrive_and_wait();
    } else {
      full.arrive_and_wait();
      y[i * 32 + lane] = slot[31 - lane];
      empty.arrive();
    }
  }
}
// Bins in shared memory, then added to those of the grid.
__global__ void histogram(const int* x, int* bins, int n) {
  __shared__ int s[16];
  if (threadIdx.x < 16) s[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&s[x[i] & 15], 1);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}
// One lane adds for those that are with it.
__global__ void aggregated(const int* x, int* count, int* kept) {
  if (x[threadIdx.x] % 3 == 0) {
    const auto active = cg::coalesced_threads();
    int at = 0;
    if (active.thread_rank() == 0) at = atomicAdd(count, static_cast<int>(active.size()));
    at = active.shfl(at, 0) + active.thread_rank();
    kept[at] = x[threadIdx.x];
  }
}
// The loop round atomicCAS begins with a plain read.
__global__ void cas_loop(float* most, const float* x) {
  int* const bits = reinterpret_cast<int*>(most);
  int old = *bits, seen;
  do {
    seen = old;
    if (__int_as_float(seen) >= x[threadIdx.x]) break;
    old = atomicCAS(bits, seen, __float_as_int(x[threadIdx.x]));
  } while (old != seen);
}
// Whoever finds something says so, all in the same words; the loop ends when nobody did.
__global__ void until_stable(int* v, int n) {
  __shared__ bool changed;
  for (;;) {
    if (threadIdx.x == 0) changed = false;
    __syncthreads();
    int next = v[threadIdx.x];
    if (threadIdx.x > 0 && v[threadIdx.x - 1] > next) next = v[threadIdx.x - 1];
    __syncthreads();
    if (next != v[threadIdx.x]) {
      v[threadIdx.x] = next;
      changed = true;
    }
    __syncthreads();
    const bool again = changed;
    __syncthreads();
    if (!again) break;
  }
}
// Neighbours that share a word write to its bytes and halves.
__global__ void bytes_and_halves(unsigned char* b, half* h) {
  b[threadIdx.x] = static_cast<unsigned char>(threadIdx.x);
  h[threadIdx.x] = __float2half(threadIdx.x * 0.5f);
}
__global__ void bitonic(int* v) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = v[t];
  __syncthreads();
  for (int size = 2; size <= 64; size *= 2)
    for (int step = size / 2; step > 0; step /= 2) {
      const int other = t ^ step;
      if (other > t && (s[t] > s[other]) == ((t & size) == 0)) {
        const int keep = s[t];
        s[t] = s[other];
        s[other] = keep;
      }
      __syncthreads();
    }
  v[t] = s[t];
}
// Two views of the dynamic memory, one after the other.
__global__ void two_views(const float* x, int* y) {
  extern __shared__ unsigned char memory[];
  float* const f = reinterpret_cast<float*>(memory);
  f[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  const float v = f[31 - threadIdx.x];
  __syncthreads();
  short* const s = reinterpret_cast<short*>(memory);
  s[threadIdx.x] = static_cast<short>(v);
  __syncthreads();
  y[threadIdx.x] = s[31 - threadIdx.x];
}
// In place, each thread its own elements; vectors, and a tail in single elements.
__global__ void in_place(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * i + 3 < n) {
    float4 v = reinterpret_cast<float4*>(x)[i];
    v.x += 1, v.y += 1, v.z += 1, v.w += 1;
    reinterpret_cast<float4*>(x)[i] = v;
  } else {
    for (int k = 4 * i; k < n; ++k) x[k] += 1;
  }
}
// Structures with padding travel through shared memory.
struct Best {
  char from;
  double value;
};
__global__ void best(const double* x, double* out) {
  __shared__ Best s[32];
  Best mine;
  mine.from = static_cast<char>(threadIdx.x);
  mine.value = x[threadIdx.x];
  s[threadIdx.x] = mine;
  __syncthreads();
  for (int k = 16; k > 0; k /= 2) {
    if (int(threadIdx.x) < k && s[threadIdx.x + k].value > s[threadIdx.x].value)
      s[threadIdx.x] = s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = s[0].value + s[0].from;
}
// One thread decides for all.
__global__ void elected(int* work, int* next, int n) {
  __shared__ int at;
  for (;;) {
    if (threadIdx.x == 0) at = atomicAdd(next, 32);
    __syncthreads();
    const int first = at;
    __syncthreads();
    if (first >= n) return;
    work[first + threadIdx.x] = first;
  }
}

int main() {
  float* f = device_array<float>(1024);
  int* v = device_array<int>(1024);
  for (int i = 0; i < 512; ++i) f[i] = i;

  tree_then_warp<<<1, 128>>>(f, f + 600);
  volatile_warp<<<1, 32>>>(f, f + 601);
  row_of_a_warp<<<1, 128>>>(f, f + 512);
  cudaDeviceSynchronize();
  CHECK(f[512] == 31 && f[512 + 256 + 127] == 98);
  tree_then_warp<<<1, 128>>>(f, f + 600);
  volatile_warp<<<1, 32>>>(f, f + 601);
  cudaDeviceSynchronize();
  CHECK(f[600] == 127 * 64 && f[601] == 63 * 32);

  tiles_of_16<<<1, 64>>>(v);
  cudaDeviceSynchronize();
  CHECK(v[0] == 225 && v[63] == 0);

  tiled_product<<<dim3(2, 2), dim3(8, 8)>>>(f, f, f + 512, 16);
  cudaDeviceSynchronize();
  CHECK(f[512] == 19840);  // the sum of k * 16 k
  pipelined<<<1, 64>>>(f, f + 512, 4);
  cudaDeviceSynchronize();
  CHECK(f[512] == 63 * 4 + 64 * 6);

  for (int i = 0; i < 128; ++i) v[i] = i;
  producer_and_consumer<<<1, 64>>>(v, v + 128, 4);
  cudaDeviceSynchronize();
  CHECK(v[128] == 31 && v[255] == 96);

  cudaMemset(v + 300, 0, 200 * sizeof(int));
  histogram<<<3, 32>>>(v, v + 300, 128);
  aggregated<<<1, 128>>>(v, v + 320, v + 330);
  cudaDeviceSynchronize();
  CHECK(v[300] == 8 && v[315] == 8 && v[320] == 43);

  f[700] = 0;
  cas_loop<<<1, 128>>>(f + 700, f);
  cudaDeviceSynchronize();
  CHECK(f[700] == 127);

  for (int i = 0; i < 64; ++i) v[i] = i == 5 ? 9 : 0;
  until_stable<<<1, 64>>>(v, 64);
  cudaDeviceSynchronize();
  CHECK(v[4] == 0 && v[5] == 9 && v[63] == 9);

  bytes_and_halves<<<1, 64>>>(reinterpret_cast<unsigned char*>(v), reinterpret_cast<half*>(v + 64));
  cudaDeviceSynchronize();
  CHECK(reinterpret_cast<unsigned char*>(v)[63] == 63 &&
        __half2float(reinterpret_cast<half*>(v + 64)[3]) == 1.5f);

  for (int i = 0; i < 64; ++i) v[i] = (i * 37) % 64;
  bitonic<<<1, 64>>>(v);
  two_views<<<1, 32, 32 * sizeof(float)>>>(f, v + 64);
  in_place<<<2, 8>>>(f, 61);
  cudaDeviceSynchronize();
  CHECK(v[0] == 0 && v[17] == 17 && v[63] == 63 && v[64] == 0 && v[95] == 31);
  CHECK(f[0] == 1 && f[60] == 61 && f[61] == 61);

  double* d = device_array<double>(64);
  for (int i = 0; i < 32; ++i) d[i] = i == 20 ? 100 : i;
  best<<<1, 32>>>(d, d + 40);
  cudaDeviceSynchronize();
  CHECK(d[40] == 120);

  v[0] = 0;
  elected<<<3, 32>>>(v + 64, v, 160);
  cudaDeviceSynchronize();
  CHECK(v[64] == 0 && v[64 + 159] == 128);
  cudaFree(f);
  cudaFree(v);
  cudaFree(d);
}
