#include "c10d/wrapper/engine_failure_reporter.h"

#include "base/clock.h"
#include "c10d/wrapper/forwarding.h"
#include "recorder/devices.h"

namespace traced {
namespace {

// Reports within this interval concern the same failure. A later one may be
// another.
constexpr std::int64_t kSameNs = 10'000'000'000;

constexpr char kTimedOut[] = "an operation timed out";
constexpr char kFailed[] = "its communicator failed";

// Returns nullptr if the engine has no error. The polled engines only read a
// variable.
const char* errorOf([[maybe_unused]] c10d::Backend* engine) noexcept {
#ifdef TRACED_BACKEND_HAS_getError
  if (!engine) return nullptr;
  try {
    switch (engine->getError()) {
      case c10d::ErrorType::SUCCESS:
        return nullptr;
      case c10d::ErrorType::TIMEOUT:
        return kTimedOut;
      default:
        return kFailed;
    }
  } catch (...) {
  }
#endif
  return nullptr;
}

}  // namespace

void EngineFailureReporter::gaveUp() noexcept {
  const char* const why = errorOf(engine_);
  gaveUp(why ? why : "");
}

void EngineFailureReporter::communicatorFailed() noexcept { gaveUp(kFailed); }

void EngineFailureReporter::gaveUp(const char* why) noexcept {
  if (Recorder::current() != &recorder_) return;
  // Unfinished operations are aborted. Their streams continue as if they had
  // ended.
  recorder_.devices().aborting(communicator_);
  const std::int64_t now_ns = nowNs();
  std::int64_t reported_ns = reported_ns_.load(std::memory_order_relaxed);
  const bool is_same = reported_ns > 0 && now_ns - reported_ns < kSameNs;
  if (is_same || !reported_ns_.compare_exchange_strong(reported_ns, now_ns))
    return;
  recorder_.mark(MarkKind::kEngineFailed, group_, why);
  recorder_.requestFlush();
}

void EngineFailureReporter::check() noexcept {
  if (recorder_.devices().wasAborted(communicator_)) return;
  if (const char* const why = errorOf(engine_)) gaveUp(why);
}

}  // namespace traced
