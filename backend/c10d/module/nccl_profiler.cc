#include <dlfcn.h>

#include <new>
#include <string>

#include "base/log_message.h"
#include "c10d/module/bindings.h"
#include "nccl_profiler/recorder_link.h"
#include "recorder/recorder.h"
#include "ring_io/ring/operation_in_call.h"
#include "ring_io/support/find_function.h"

namespace traced {
namespace {

nccl::Operation operation() noexcept {
  const OperationInCall::Name name = OperationInCall::current();
  return {name.recorder, name.op};
}

// Returns whether this equals the thread's previous report. One call for many
// ranks becomes many similar NCCL calls.
bool isRepeated(const nccl::Operation& operation, const char* algorithm,
                const char* protocol, unsigned channels) {
  struct LastReport {
    nccl::Operation operation;
    std::string algorithm, protocol;
    unsigned channels = 0;
  };
  thread_local LastReport last;
  if (last.operation.recorder == operation.recorder &&
      last.operation.id == operation.id && last.algorithm == algorithm &&
      last.protocol == protocol && last.channels == channels) {
    return true;
  }
  last = {operation, algorithm, protocol, channels};
  return false;
}

void method(const nccl::Operation& operation, const char* algorithm,
            const char* protocol, unsigned channels) noexcept {
  try {
    if (isRepeated(operation, algorithm, protocol, channels)) return;
  } catch (const std::bad_alloc&) {
  }
  static_cast<Recorder*>(operation.recorder)
      ->method(operation.id, algorithm, protocol, channels);
}

}  // namespace

std::string connectNcclProfiler(const std::string& library) {
  static constexpr nccl::RecorderLink kLink{
      operation, method,
      [](const char* message) noexcept { traced::logMessage(message); }};
  // Never closed, because NCCL may use it at any time.
  void* loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  nccl::Connect* connect = nullptr;
  if (loaded && findFunction(loaded, nccl::kConnect, connect)) {
    connect(&kLink);
    return "";
  }
  const char* error = dlerror();
  return error ? error : library + " cannot be loaded";
}

}  // namespace traced
