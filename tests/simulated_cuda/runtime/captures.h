// Captures of streams: what is put on a captured stream goes into a graph.

#pragma once

#include <map>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "runtime/streams.h"

namespace simulated {

// An object of the user's that graphs keep alive.
struct UserObject {
  void* object;
  cudaHostFn_t destroy;
  unsigned references;
};

// How much of each captured stream's work comes before a point.
using Reached = std::map<Stream*, size_t>;

struct Capture {
  unsigned long long id;
  cudaStreamCaptureMode mode;
  std::thread::id thread;
  Stream* origin;
  cudaGraph_t graph;
  std::map<Stream*, Reached> reached;  // of each stream that takes part
  bool invalid = false;
};

// The capture that a stream takes part in; null: none.
std::shared_ptr<Capture> captureOf(Stream* stream);

// Whether a capture, of this thread or of another, forbids an unsafe call in
// this one. If so the capture is invalid from now on.
bool captureForbids();

cudaError_t addToCapture(Capture& capture, Stream* stream, Work work);

// For events: how far a captured stream is, and that a stream waits for that.
Reached reachedBy(Capture& capture, Stream* stream);
cudaError_t joinCapture(const std::shared_ptr<Capture>& capture, Stream* stream,
                        const Reached& reached);
void invalidate(Capture& capture);

}  // namespace simulated

struct CUgraph_st {
  std::vector<simulated::Work> work;
  std::vector<simulated::UserObject*> kept;
};
