// How TracedBackend hears from the inner backend that operations have ended:
// by a completion hook, of which a backend that has them takes any number.

#include "c10d/wrapper/traced_backend.h"
#include "recorder/devices.h"

namespace traced {

#ifdef TRACED_BACKEND_HAS_registerCompletionHook

namespace {

// Hooks are registered by number: one that nobody else comes by.
constexpr std::int64_t kHookId = 0x7472616365643031;  // "traced01"

// 0 if the backend does not time its collectives.
std::uint64_t engineNsPlus1(const std::optional<float>& ms) {
  if (!ms || !(*ms >= 0)) return 0;
  return static_cast<std::uint64_t>(static_cast<double>(*ms) * 1e6) + 1;
}

}  // namespace

void TracedBackend::watchCompletions() noexcept {
  try {
    if (!inner_->supportsCompletionHooks()) return;
  } catch (...) {  // A backend may be anybody's.
    return;
  }
  if (recorder_.devices().mode() == DeviceTimeMode::kFull) {
    try {
      inner_->enableCollectivesTiming();
    } catch (...) {  // Then ends come without durations.
    }
  }
  auto completions = std::make_shared<Completions>(recorder_);
  try {
    inner_->registerCompletionHook(
        kHookId, [completions](const c10d::CompletionHookArgs& args) {
          completions->completed(args.completionKey, nowNs(),
                                 engineNsPlus1(args.duration_ms));
        });
  } catch (...) {  // Then ends stay unobserved.
    return;
  }
  completions_ = std::move(completions);
}

void TracedBackend::unwatchCompletions() noexcept {
  if (!completions_) return;
  try {
    inner_->unregisterCompletionHook(kHookId);
  } catch (...) {  // It outlives us, and so does what it holds.
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
