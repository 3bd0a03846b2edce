#include "runtime/captures.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "runtime/calls.h"

namespace simulated {
namespace {

std::mutex& mutex = *new std::mutex;
auto& captures = *new std::map<Stream*, std::shared_ptr<Capture>>;
std::atomic<int> under_way{0};  // streams in a capture
std::atomic<unsigned long long> next_id{1};
thread_local cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

bool forbids(const Capture& capture) {
  if (capture.mode == cudaStreamCaptureModeRelaxed) return false;
  if (capture.thread == std::this_thread::get_id()) return true;
  return capture.mode == cudaStreamCaptureModeGlobal &&
         thread_mode == cudaStreamCaptureModeGlobal;
}

// Returns whether, at the end, the origin had waited for all work of the other
// streams.
bool joined(Capture& capture) {
  const Reached& end = capture.reached[capture.origin];
  return std::all_of(
      capture.reached.begin(), capture.reached.end(), [&](const auto& entry) {
        const auto& [stream, reached] = entry;
        const auto own = reached.find(stream);
        const auto seen = end.find(stream);
        return own == reached.end() ||
               (seen != end.end() && seen->second >= own->second);
      });
}

cudaError_t endCapture(Capture& capture) {
  if (capture.invalid) return cudaErrorStreamCaptureInvalidated;
  return joined(capture) ? cudaSuccess : cudaErrorStreamCaptureUnjoined;
}

}  // namespace

std::shared_ptr<Capture> captureOf(Stream* stream) {
  if (!under_way) return nullptr;
  const std::lock_guard lock(mutex);
  const auto it = captures.find(stream);
  return it == captures.end() ? nullptr : it->second;
}

bool captureForbids() {
  if (!under_way || thread_mode == cudaStreamCaptureModeRelaxed) return false;
  const std::lock_guard lock(mutex);
  bool any = false;
  for (auto& [stream, capture] : captures) {
    if (!forbids(*capture)) continue;
    capture->invalid = true;
    any = true;
  }
  return any;
}

cudaError_t addToCapture(Capture& capture, Stream* stream, Work work) {
  const std::lock_guard lock(mutex);
  if (capture.invalid) return cudaErrorStreamCaptureInvalidated;
  capture.graph->work.push_back(std::move(work));
  ++capture.reached[stream][stream];
  return cudaSuccess;
}

Reached reachedBy(Capture& capture, Stream* stream) {
  const std::lock_guard lock(mutex);
  return capture.reached[stream];
}

cudaError_t joinCapture(const std::shared_ptr<Capture>& capture, Stream* stream,
                        const Reached& reached) {
  const std::lock_guard lock(mutex);
  auto& own = captures[stream];
  if (own && own != capture) {
    capture->invalid = own->invalid = true;
    return cudaErrorStreamCaptureMerge;
  }
  if (!own) ++under_way;
  own = capture;
  Reached& known = capture->reached[stream];
  for (const auto& [other, position] : reached) {
    known[other] = std::max(known[other], position);
  }
  return cudaSuccess;
}

void invalidate(Capture& capture) {
  const std::lock_guard lock(mutex);
  capture.invalid = true;
}

}  // namespace simulated

using simulated::captureOf;
using simulated::captures;
using simulated::remember;
using simulated::streamOf;

extern "C" {

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  SIMULATED_CALL
  std::swap(*mode, simulated::thread_mode);
  return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t handle,
                                   cudaStreamCaptureMode mode) {
  SIMULATED_CALL
  if (handle <= cudaStreamLegacy) {
    return call.refuse(cudaErrorStreamCaptureUnsupported,
                       "on the legacy stream");
  }
  auto* stream = streamOf(handle);
  const std::lock_guard lock(simulated::mutex);
  auto& capture = captures[stream];
  if (capture) return call.refuse(cudaErrorIllegalState, "a second capture");
  capture = std::make_shared<simulated::Capture>(
      simulated::Capture{simulated::next_id++,
                         mode,
                         std::this_thread::get_id(),
                         stream,
                         new CUgraph_st,
                         {{stream, {}}}});
  ++simulated::under_way;
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  SIMULATED_CALL
  *graph = nullptr;
  auto* stream = streamOf(handle);
  const auto capture = captureOf(stream);
  if (!capture) return call.refuse(cudaErrorIllegalState, "without a capture");
  const std::lock_guard lock(simulated::mutex);
  if (capture->origin != stream) {
    capture->invalid = true;
    return remember(cudaErrorStreamCaptureUnmatched);
  }
  if (capture->mode != cudaStreamCaptureModeRelaxed &&
      capture->thread != std::this_thread::get_id()) {
    return call.refuse(cudaErrorStreamCaptureWrongThread, "of another thread");
  }
  simulated::under_way -= static_cast<int>(
      std::erase_if(captures, [&](auto& e) { return e.second == capture; }));
  const cudaError_t error = simulated::endCapture(*capture);
  if (!error) *graph = capture->graph;
  return remember(error);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle,
                                  cudaStreamCaptureStatus* status) {
  SIMULATED_CALL
  const auto capture = captureOf(streamOf(handle));
  *status = !capture           ? cudaStreamCaptureStatusNone
            : capture->invalid ? cudaStreamCaptureStatusInvalidated
                               : cudaStreamCaptureStatusActive;
  return cudaSuccess;
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle,
                                     cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** nodes,
                                     const cudaGraphEdgeData** edges,
                                     size_t* count) {
  if (const auto error = cudaStreamIsCapturing(handle, status)) return error;
  const auto capture = captureOf(streamOf(handle));
  static const cudaGraphNode_t no_node = nullptr;
  static const cudaGraphEdgeData no_edge{};
  if (id) *id = capture ? capture->id : 0;
  if (graph) *graph = capture ? capture->graph : nullptr;
  if (nodes) *nodes = &no_node;
  if (edges) *edges = &no_edge;
  if (count) *count = 0;
  return cudaSuccess;
}

}  // extern "C"
