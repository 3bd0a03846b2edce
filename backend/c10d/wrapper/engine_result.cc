// Observes ends if the engine has no completion hooks: classic NCCL up to torch
// 2.14. Its watchdog completes a host-only future of each operation's result. A
// callback on it puts nothing on a stream, holds no tensor and starts no
// thread.
//
// This engine's own hook is not used: see docs/use/nccl.md.

#include <optional>

#include "c10d/wrapper/traced_backend.h"
#include "recorder/devices.h"

namespace traced {
namespace {

// Returns nullopt if the value is not understood. The future must have no
// error.
std::optional<c10d::WorkResult> resultIn(const c10::ivalue::Future& result) {
  const c10::IValue& value = result.constValue();
  if (!value.isInt()) return std::nullopt;
  return static_cast<c10d::WorkResult>(value.toInt());
}

// Returns whether the communicator failed. The watchdog reports this for the
// first operation it checks, which may already have ended.
bool communicatorFailed(const c10::ivalue::Future& result) {
  return !result.hasError() && resultIn(result) == c10d::WorkResult::COMM_ERROR;
}

// Returns the failure as text, or nullptr if there was none.
const char* failureOf(const c10::ivalue::Future& result) {
  if (result.hasError()) return "the engine reported an error";
  switch (resultIn(result).value_or(c10d::WorkResult::SUCCESS)) {
    case c10d::WorkResult::SUCCESS:
      return nullptr;
    case c10d::WorkResult::TIMEOUT:
      return "the engine's watchdog found it timed out";
    default:
      return "the engine reported an unknown failure";
  }
}

// Runs on the watchdog's thread, or on one that waits with a timeout. The
// engine may hold locks of the Work. Must not throw, because that would
// terminate the process.
void onResult(EngineFailureReporter& failures, OpId op,
              CommunicatorId communicator,
              const c10::ivalue::Future& result) noexcept {
  const std::int64_t end_ns = nowNs();
  Recorder& recorder = failures.recorder();
  try {
    if (communicatorFailed(result)) return failures.communicatorFailed();
    if (const char* failure = failureOf(result)) {
      recorder.doneFailed(op, end_ns, EndSource::kCompletionHook, failure);
      return;
    }
  } catch (...) {  // not understood: the end stays unobserved
    return;
  }
  // An aborted operation lets its stream continue as if it had ended.
  if (!recorder.devices().wasAborted(communicator)) {
    recorder.done(op, end_ns, EndSource::kCompletionHook);
  }
}

}  // namespace

void TracedBackend::observeResult(const Issued& issued,
                                  c10d::Work& work) noexcept {
  if (!failures_ || no_result_.load(std::memory_order_relaxed)) return;
  try {
    if (const auto result = work.getFutureResult()) {
      // The callback holds neither the Work, which would be a cycle, nor a
      // Python object. It is small enough to need no allocation of its own.
      result->addCallback(
          [failures = failures_, op = issued.op,
           communicator = issued.communicator](c10::ivalue::Future& completed) {
            onResult(*failures, op, communicator, completed);
          },
          /*uses_future=*/false);
    }
  } catch (...) {  // the engine has no such future
    no_result_.store(true, std::memory_order_relaxed);
  }
}

}  // namespace traced
