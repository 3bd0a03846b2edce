// The profiler plugin that NCCL loads. It links NCCL's events to the operation
// that the calling thread is executing, and forwards every event to the user's
// plugin.
//
// Since version 5, NCCL reports an API call on the calling thread while the
// call runs. Each task that NCCL enqueues later names that call as its parent.
// The link is therefore exact, whichever thread enqueues the task.
//
// Version 4 reports no API calls. A task that NCCL enqueues inside an
// operation's call, on the calling thread, belongs to that operation: no outer
// group can delay it. Other tasks have no known operation.

#include <atomic>
#include <cstring>
#include <string>

#include "nccl_profiler/calls.h"
#include "nccl_profiler/interface.h"
#include "nccl_profiler/next_plugin.h"
#include "nccl_profiler/recorder_link.h"

namespace traced::nccl {
namespace {

std::atomic<const RecorderLink*> recorder{nullptr};
std::atomic<NextPlugin*> next_plugin{nullptr};
// NCCL's activation mask, which selects the events it reports.
std::atomic<int*> nccl_mask{nullptr};
Calls calls;

// State of one communicator.
struct Context {
  bool has_next = false;
  void* next = nullptr;
};

unsigned ownWishes(int version) {
  if (!recorder.load()) return 0;
  const unsigned tasks = kCollective | kMessage;
  return version == 4 ? tasks : tasks | kCollectiveCall | kMessageCall;
}

NextPlugin* findNext(int version) {
  static NextPlugin* const found = [version] {
    std::string problem;
    NextPlugin* plugin = NextPlugin::load(version, problem);
    const RecorderLink* link = recorder.load();
    if (!problem.empty() && link) {
      problem = "NCCL's profiler plugin receives nothing: " + problem;
      link->log(problem.c_str());
    }
    next_plugin.store(plugin);
    return plugin;
  }();
  return found;
}

// Updates NCCL's activation mask. Called repeatedly, because the next plugin
// may change its own mask at any time.
void updateMask(int version) {
  int* const mask = nccl_mask.load(std::memory_order_relaxed);
  if (!mask) return;
  NextPlugin* const next = next_plugin.load(std::memory_order_relaxed);
  const int all =
      static_cast<int>(ownWishes(version)) | (next ? next->wanted() : 0);
  const std::atomic_ref wished(*mask);
  if (wished.load(std::memory_order_relaxed) != all) wished.store(all);
}

Status init(int version, void** context, int* wanted,
            const NextPlugin::Communicator& communicator) {
  auto* own = new Context;
  *context = own;
  if (NextPlugin* next = findNext(version)) {
    own->has_next = next->init(&own->next, communicator) == kSuccess;
  }
  nccl_mask.store(wanted);
  updateMask(version);
  return kSuccess;
}

Status init4(void** context, int* wanted, const char* name,
             std::uint64_t communicator, int nodes, int ranks, int rank,
             Logger logger) {
  return init(4, context, wanted,
              {communicator, name, nodes, ranks, rank, logger});
}

template <int kVersion>
Status initNewer(void** context, std::uint64_t communicator, int* wanted,
                 const char* name, int nodes, int ranks, int rank,
                 Logger logger) {
  return init(kVersion, context, wanted,
              {communicator, name, nodes, ranks, rank, logger});
}

// Returns "" if NCCL has no name, for which it uses null or "Unknown".
const char* known(const char* name) {
  return !name || std::strcmp(name, "Unknown") == 0 ? "" : name;
}

void reportMethod(const Operation& operation, const Event& event,
                  unsigned type) {
  if (!operation.recorder) return;
  const RecorderLink* const link = recorder.load(std::memory_order_relaxed);
  if (type == kCollective) {
    const Collective& task = event.collective;
    link->method(operation, known(task.algorithm), known(task.protocol),
                 task.channels);
  } else {
    link->method(operation, "", "", event.message.channels);
  }
}

Operation operationOfThread() {
  const RecorderLink* const link = recorder.load(std::memory_order_relaxed);
  return link ? link->operation() : Operation{};
}

// Returns whether the call was captured into a graph. NCCL enqueues the replays
// later as children of this call, so a captured call is not linked.
bool isCaptured(const Event& event, unsigned type) {
  return type == kCollectiveCall ? event.collective_call.captured
                                 : event.message_call.captured;
}

// Links a starting API call to the thread's operation. `handle` holds the next
// plugin's handle and becomes ours if linked.
void beginCall(void** handle, const Event& event, unsigned type) {
  const Operation operation =
      isCaptured(event, type) ? Operation{} : operationOfThread();
  if (!operation.recorder) return;
  if (void* own = calls.add({operation, *handle})) *handle = own;
}

Status startNext(Context& context, void** handle, Event* event, unsigned type) {
  *handle = nullptr;
  NextPlugin* const next = next_plugin.load(std::memory_order_relaxed);
  if (!next || !context.has_next) return kSuccess;
  return next->start(context.next, handle, event, type);
}

template <int kVersion>
Status start(void* context, void** handle, Event* event) {
  constexpr std::uint64_t kTypes = kVersion == 4 ? 0xff : ~std::uint64_t{0};
  const auto type = static_cast<unsigned>(event->type & kTypes);
  Operation operation;
  void* const parent = event->parent;
  if (Calls::has(parent)) {
    const Calls::Call call = calls.find(parent);
    operation = call.operation;
    event->parent = call.next;
  } else if (kVersion == 4) {
    operation = operationOfThread();
  }
  if (type == kCollective || type == kMessage)
    reportMethod(operation, *event, type);
  const Status status =
      startNext(*static_cast<Context*>(context), handle, event, type);
  event->parent = parent;
  if (type == kCollectiveCall || type == kMessageCall) {
    beginCall(handle, *event, type);
    updateMask(kVersion);
  }
  return status;
}

// Returns the next plugin's handle of an event.
void* nextOf(void* handle) {
  return Calls::has(handle) ? calls.find(handle).next : handle;
}

Status stop(void* handle) {
  NextPlugin* const next = next_plugin.load(std::memory_order_relaxed);
  void* const its = nextOf(handle);
  return next && its ? next->stop(its) : kSuccess;
}

Status record(void* handle, int state, void* arguments) {
  NextPlugin* const next = next_plugin.load(std::memory_order_relaxed);
  void* const its = nextOf(handle);
  return next && its ? next->record(its, state, arguments) : kSuccess;
}

Status finalize(void* context) {
  auto* const own = static_cast<Context*>(context);
  NextPlugin* const next = next_plugin.load();
  const Status status =
      next && own->has_next ? next->finalize(own->next) : kSuccess;
  delete own;
  return status;
}

constexpr char kOwnName[] = "traced";

}  // namespace
}  // namespace traced::nccl

#define EXPORT __attribute__((visibility("default")))

extern "C" {

EXPORT traced::nccl::Profiler4 ncclProfiler_v4 = {
    traced::nccl::kOwnName, traced::nccl::init4,  traced::nccl::start<4>,
    traced::nccl::stop,     traced::nccl::record, traced::nccl::finalize};
EXPORT traced::nccl::Profiler5 ncclProfiler_v5 = {
    traced::nccl::kOwnName, traced::nccl::initNewer<5>, traced::nccl::start<5>,
    traced::nccl::stop,     traced::nccl::record,       traced::nccl::finalize};
EXPORT traced::nccl::Profiler5 ncclProfiler_v6 = {
    traced::nccl::kOwnName, traced::nccl::initNewer<6>, traced::nccl::start<6>,
    traced::nccl::stop,     traced::nccl::record,       traced::nccl::finalize};

// Called by the extension: see kConnect.
EXPORT void traced_nccl_profiler_connect(
    const traced::nccl::RecorderLink* link) {
  traced::nccl::recorder.store(link);
}

}  // extern "C"
