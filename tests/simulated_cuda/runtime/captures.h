// Stream captures: work put on a captured stream enters a graph.

#pragma once

#include <map>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "runtime/streams.h"

namespace simulated {

// A user's object that graphs keep alive.
struct UserObject {
  void* object;
  cudaHostFn_t destroy;
  unsigned references;
};

// How many of each captured stream's pieces of work precede a point.
using Reached = std::map<Stream*, size_t>;

struct Capture {
  unsigned long long id;
  cudaStreamCaptureMode mode;
  std::thread::id thread;
  Stream* origin;
  cudaGraph_t graph;
  std::map<Stream*, Reached> reached;  // per participating stream
  bool invalid = false;
};

// Returns the capture that a stream takes part in, or null.
std::shared_ptr<Capture> captureOf(Stream* stream);

// Returns whether a capture, of this thread or another one, forbids an unsafe
// call in this thread. If so, it invalidates the capture.
bool captureForbids();

cudaError_t addToCapture(Capture& capture, Stream* stream, Work work);

// For events: return a captured stream's progress, and make a stream wait for
// it.
Reached reachedBy(Capture& capture, Stream* stream);
cudaError_t joinCapture(const std::shared_ptr<Capture>& capture, Stream* stream,
                        const Reached& reached);
void invalidate(Capture& capture);

}  // namespace simulated

struct CUgraph_st {
  std::vector<simulated::Work> work;
  std::vector<simulated::UserObject*> kept;
};
