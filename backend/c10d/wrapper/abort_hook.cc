// Detects that the inner backend gives up: by an abort hook if it supports
// them, otherwise by polling its error.

#include <unistd.h>

#include "c10d/wrapper/traced_backend.h"

namespace traced {
namespace {

// Hooks are registered under a number. No other code picks this one.
[[maybe_unused]] constexpr std::int64_t kAbortHookId =
    0x7472616365643032;  // "02"

bool hasAbortHooks([[maybe_unused]] const c10d::Backend& backend) {
#ifdef TRACED_BACKEND_HAS_supportsAbortHooks
  return backend.supportsAbortHooks();
#else
  return false;
#endif
}

}  // namespace

void TracedBackend::watchFailures() noexcept {
  if (engine_.on_host) return;
  try {
    const bool hooks = hasAbortHooks(*inner_);
    // Polling other engines may have unknown effects.
    c10d::Backend* const asked =
        engine_.reports_error_at_once ? inner_.get() : nullptr;
    failures_ = recorder_.engineChecks().keep(
        std::make_unique<EngineFailureReporter>(recorder_, group_->id(),
                                                communicator_, asked),
        asked && !hooks);
    owner_ = getpid();
#ifdef TRACED_BACKEND_HAS_supportsAbortHooks
    if (hooks) {
      inner_->registerAbortHook(kAbortHookId,
                                [failures = failures_] { failures->gaveUp(); });
      has_abort_hook_ = true;
    }
#endif
  } catch (...) {  // Failures are then known only from Works.
  }
}

void TracedBackend::unwatchFailures() noexcept {
  // In a forked child, a thread of the parent may have held the lock.
  if (!failures_ || getpid() != owner_) return;
  recorder_.engineChecks().forget(failures_);
#ifdef TRACED_BACKEND_HAS_supportsAbortHooks
  if (!has_abort_hook_) return;
  try {
    inner_->unregisterAbortHook(kAbortHookId);
  } catch (...) {  // The hook's target is never destroyed.
  }
#endif
}

}  // namespace traced
