// Observes ends through a completion hook of the inner backend. A backend with
// hooks accepts any number of them.

#include "c10d/wrapper/traced_backend.h"
#include "recorder/devices.h"

namespace traced {

#ifdef TRACED_BACKEND_HAS_registerCompletionHook

namespace {

// Hooks are registered under a number. No other code picks this one.
constexpr std::int64_t kHookId = 0x7472616365643031;  // "traced01"

// Returns 0 if the backend does not time its collectives.
std::uint64_t engineNsPlus1(const std::optional<float>& ms) {
  if (!ms || !(*ms >= 0)) return 0;
  return static_cast<std::uint64_t>(static_cast<double>(*ms) * 1e6) + 1;
}

}  // namespace

void TracedBackend::watchCompletions() noexcept {
  try {
    if (!inner_->supportsCompletionHooks()) return;
  } catch (...) {  // The backend may be third-party code.
    return;
  }
  if (recorder_.devices().mode() == DeviceTimeMode::kFull) {
    try {
      inner_->enableCollectivesTiming();
    } catch (...) {  // Ends then have no durations.
    }
  }
  auto completions = std::make_shared<Completions>(recorder_);
  try {
    inner_->registerCompletionHook(
        kHookId, [completions](const c10d::CompletionHookArgs& args) {
          completions->completed(args.completionKey, nowNs(),
                                 engineNsPlus1(args.duration_ms));
        });
  } catch (...) {  // Ends then stay unobserved.
    return;
  }
  completions_ = std::move(completions);
}

void TracedBackend::unwatchCompletions() noexcept {
  if (!completions_) return;
  try {
    inner_->unregisterCompletionHook(kHookId);
  } catch (...) {  // The hook outlives this object, and so does its target.
  }
}

void TracedBackend::onCompletion(const Issued& issued,
                                 const c10d::Work& work) noexcept {
  try {
    completions_->issued(work.getCompletionKey(), issued.op, issued.issue_ns);
  } catch (...) {  // Its end stays unobserved.
  }
}

#else

void TracedBackend::watchCompletions() noexcept {}
void TracedBackend::unwatchCompletions() noexcept {}
void TracedBackend::onCompletion(const Issued&, const c10d::Work&) noexcept {}

#endif

}  // namespace traced
