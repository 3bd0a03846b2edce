// Events: marks in streams, with the time at which the stream reached them.

#include <memory>
#include <mutex>
#include <utility>

#include "runtime/calls.h"
#include "runtime/captures.h"
#include "runtime/marker.h"
#include "runtime/settings.h"
#include "runtime/streams.h"

using simulated::Call;
using simulated::Marker;
using simulated::remember;
using simulated::streamOf;

// Never freed, so a use after destruction is reported.
struct CUevent_st {
  int device;
  unsigned flags;
  std::mutex mutex;
  bool destroyed = false;
  std::shared_ptr<Marker> marker;  // of the last record
  // The point of the record within a capture.
  bool captured = false;
  std::weak_ptr<simulated::Capture> capture;
  simulated::Reached reached;
};

namespace {

cudaError_t destroyed(const Call& call) {
  return call.refuse(cudaErrorInvalidResourceHandle, "the event is destroyed");
}

// Returns the marker to query, or an error for an event that cannot be queried.
cudaError_t poll(const Call& call, cudaEvent_t event,
                 std::shared_ptr<Marker>& marker) {
  const std::lock_guard lock(event->mutex);
  if (event->destroyed) return destroyed(call);
  if (event->captured) {
    if (auto capture = event->capture.lock()) simulated::invalidate(*capture);
    return call.refuse(cudaErrorCapturedEvent, "the event is of a capture");
  }
  marker = event->marker;
  return cudaSuccess;
}

cudaError_t recordInCapture(CUevent_st& event,
                            const std::shared_ptr<simulated::Capture>& capture,
                            simulated::Stream* stream) {
  event.captured = true;
  event.capture = capture;
  event.reached = simulated::reachedBy(*capture, stream);
  event.marker = nullptr;
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* out, unsigned flags) {
  SIMULATED_CALL
  *out = new CUevent_st;
  (*out)->device = simulated::current_device;
  (*out)->flags = flags;
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* out) {
  return cudaEventCreateWithFlags(out, 0);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  SIMULATED_CALL
  const std::lock_guard lock(event->mutex);
  if (event->destroyed) return destroyed(call);
  event->destroyed = true;
  event->marker = nullptr;
  return cudaSuccess;
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t handle,
                                     unsigned flags) {
  SIMULATED_CALL
  auto* stream = streamOf(handle);
  const std::lock_guard lock(event->mutex);
  if (event->destroyed) return destroyed(call);
  if (!stream || stream->device != event->device) {
    return call.refuse(cudaErrorInvalidResourceHandle,
                       "the stream is destroyed or of another device");
  }
  const auto capture = simulated::captureOf(stream);
  if (capture && !(flags & cudaEventRecordExternal)) {
    return recordInCapture(*event, capture, stream);
  }
  auto marker = std::make_shared<Marker>();
  event->marker = marker;
  event->captured = false;
  return simulated::enqueue(stream, [marker] { marker->finish(); });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, 0);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event,
                                unsigned) {
  SIMULATED_CALL
  auto* stream = streamOf(handle);
  std::unique_lock lock(event->mutex);
  if (event->destroyed || !stream) return destroyed(call);
  if (event->captured) {
    const auto capture = event->capture.lock();
    if (!capture) return remember(cudaErrorCapturedEvent);
    return remember(simulated::joinCapture(capture, stream, event->reached));
  }
  const auto marker = event->marker;
  lock.unlock();
  if (!marker) return cudaSuccess;
  if (const auto capture = simulated::captureOf(stream)) {
    simulated::invalidate(*capture);
    return call.refuse(cudaErrorStreamCaptureIsolation,
                       "a captured stream waits for an event of outside");
  }
  return simulated::enqueue(stream, [marker] { marker->wait(); });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  SIMULATED_CALL_OUTSIDE_CAPTURES
  std::shared_ptr<Marker> marker;
  if (const auto error = poll(call, event, marker)) return error;
  if (!marker || marker->done()) return cudaSuccess;
  return remember(cudaErrorNotReady);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  SIMULATED_CALL_OUTSIDE_CAPTURES
  std::shared_ptr<Marker> marker;
  if (const auto error = poll(call, event, marker)) return error;
  if (marker) marker->wait();
  return remember(call.deviceError());
}

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start,
                                 cudaEvent_t end) {
  SIMULATED_CALL
  std::shared_ptr<Marker> from, to;
  if (const auto error = poll(call, start, from)) return error;
  if (const auto error = poll(call, end, to)) return error;
  const bool timed = !((start->flags | end->flags) & cudaEventDisableTiming);
  if (!timed || !from || !to || start->device != end->device) {
    return call.refuse(cudaErrorInvalidResourceHandle,
                       "events without times or of two devices");
  }
  if (!from->done() || !to->done()) return remember(cudaErrorNotReady);
  const double drift = simulated::setting("SIMULATED_CUDA_CLOCK_PPM", 0) / 1e6;
  const std::chrono::duration<double, std::milli> apart = to->at() - from->at();
  *ms = static_cast<float>(apart.count() * (1 + drift));
  return cudaSuccess;
}

}  // extern "C"
