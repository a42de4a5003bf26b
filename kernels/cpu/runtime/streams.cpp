// Streams and events.

#include "streams.h"

#include <ctime>
#include <set>
#include <string>
#include <vector>

struct CUstream_st {
  unsigned flags = 0;
};
struct CUevent_st {
  bool recorded = false, timed = true;
  cudaStream_t stream = nullptr;
  double milliseconds = 0;
};

namespace assay::cpu {
namespace {

[[clang::no_destroy]] std::set<const void*> streams, events;

// Work that nobody waited for, by stream.
struct Work {
  cudaStream_t stream;
  std::string location;
};
[[clang::no_destroy]] std::vector<Work> work;

void waited_for(cudaStream_t stream) {
  std::erase_if(work, [&](const Work& w) { return w.stream == stream; });
}

double now_milliseconds() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

}  // namespace

bool known(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread ||
         stream == call.settings.stream || streams.count(stream);
}

void used_stream(cudaStream_t stream) {
  used_stream(stream, {});
}
void used_stream(cudaStream_t stream, std::string location) {
  for (const Work& w : work)
    if (w.stream == stream) return;
  work.push_back({stream, std::move(location)});
}

void forget_work() {
  work.clear();
}

void report_stray_work() {
  for (const Work& w : work)
    if (w.stream != call.settings.stream)
      add_finding(
          "wrong stream",
          w.stream ? "work was left on a stream that the caller does not know"
                   : "work was left on the default stream, not on the stream that the entry point was given",
          w.location);
}

}  // namespace assay::cpu

using namespace assay::cpu;

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  *stream = new CUstream_st{flags};
  streams.insert(*stream);
  return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
  return cudaStreamCreateWithFlags(stream, flags);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (!streams.erase(stream)) return fail(cudaErrorInvalidResourceHandle, "cudaStreamDestroy");
  waited_for(stream);
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (!known(stream)) return fail(cudaErrorInvalidResourceHandle, "cudaStreamSynchronize");
  waited_for(stream);
  return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return cudaStreamSynchronize(stream);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  if (!known(stream) || !events.count(event))
    return fail(cudaErrorInvalidResourceHandle, "cudaStreamWaitEvent");
  if (event->recorded) {
    waited_for(event->stream);
    used_stream(stream);
  }
  return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  *event = new CUevent_st;
  (*event)->timed = !(flags & cudaEventDisableTiming);
  events.insert(*event);
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (!events.erase(event)) return fail(cudaErrorInvalidResourceHandle, "cudaEventDestroy");
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (!events.count(event) || !known(stream)) return fail(cudaErrorInvalidResourceHandle, "cudaEventRecord");
  event->recorded = true;
  event->stream = stream;
  event->milliseconds = now_milliseconds();
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (!events.count(event)) return fail(cudaErrorInvalidResourceHandle, "cudaEventSynchronize");
  if (event->recorded) waited_for(event->stream);
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return cudaEventSynchronize(event);
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  if (!events.count(start) || !events.count(end) || !start->recorded || !end->recorded || !start->timed ||
      !end->timed)
    return fail(cudaErrorInvalidResourceHandle, "cudaEventElapsedTime");
  *milliseconds = static_cast<float>(end->milliseconds - start->milliseconds);
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  work.clear();
  return cudaSuccess;
}
cudaError_t cudaThreadSynchronize() {
  return cudaDeviceSynchronize();
}
