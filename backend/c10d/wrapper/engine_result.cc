// How TracedBackend hears of ends where the engine takes no completion hooks:
// NCCL's classic one (up to torch 2.14). Its watchdog completes a future of
// each operation's result, which is the host's alone: to listen to it puts
// nothing on a stream, holds no tensor and starts no thread.
//
// The hook that this engine has is not used: see docs/use/nccl.md.

#include <optional>

#include "c10d/wrapper/traced_backend.h"
#include "recorder/devices.h"

namespace traced {
namespace {

// Absent where that is not understood. Without an error.
std::optional<c10d::WorkResult> resultIn(const c10::ivalue::Future& result) {
  const c10::IValue& value = result.constValue();
  if (!value.isInt()) return std::nullopt;
  return static_cast<c10d::WorkResult>(value.toInt());
}

// The first operation that the watchdog looks at when the communicator has
// failed: it may be one that had ended.
bool communicatorFailed(const c10::ivalue::Future& result) {
  return !result.hasError() && resultIn(result) == c10d::WorkResult::COMM_ERROR;
}

// What went wrong; nullptr: nothing.
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

// On the watchdog's thread, or on one that waits with a timeout; the engine may
// hold locks of the Work. Nothing may be thrown: it would end the process.
void onResult(EngineNews& news, OpId op, CommunicatorId communicator,
              const c10::ivalue::Future& result) noexcept {
  const std::int64_t end_ns = nowNs();
  Recorder& recorder = news.recorder();
  try {
    if (communicatorFailed(result)) return news.communicatorFailed();
    if (const char* failure = failureOf(result)) {
      recorder.doneFailed(op, end_ns, EndSource::kCompletionHook, failure);
      return;
    }
  } catch (...) {  // not understood: the end stays unobserved
    return;
  }
  // An operation that is cut off lets its stream go on, as if it had ended.
  if (!recorder.devices().wasAborted(communicator)) {
    recorder.done(op, end_ns, EndSource::kCompletionHook);
  }
}

}  // namespace

void TracedBackend::observeResult(const Issued& issued,
                                  c10d::Work& work) noexcept {
  if (!news_ || no_result_.load(std::memory_order_relaxed)) return;
  try {
    if (const auto result = work.getFutureResult()) {
      // It holds neither the Work (a cycle) nor anything of Python, and no more
      // than a callback can without memory of its own.
      result->addCallback(
          [news = news_, op = issued.op,
           communicator = issued.communicator](c10::ivalue::Future& completed) {
            onResult(*news, op, communicator, completed);
          },
          /*uses_future=*/false);
    }
  } catch (...) {  // the engine has none
    no_result_.store(true, std::memory_order_relaxed);
  }
}

}  // namespace traced
