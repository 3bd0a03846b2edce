// How TracedBackend hears that the inner backend gives up: by an abort hook,
// where it has those, else by asking it for its error now and then.

#include <unistd.h>

#include "c10d/wrapper/traced_backend.h"

namespace traced {
namespace {

// Hooks are registered by number: one that nobody else comes by.
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
    // Of other engines it is not known what it takes to ask them.
    c10d::Backend* const asked =
        engine_.reports_error_at_once ? inner_.get() : nullptr;
    news_ = recorder_.engineChecks().keep(
        std::make_unique<EngineNews>(recorder_, group_->id(), communicator_,
                                     asked),
        asked && !hooks);
    owner_ = getpid();
#ifdef TRACED_BACKEND_HAS_supportsAbortHooks
    if (hooks) {
      inner_->registerAbortHook(kAbortHookId,
                                [news = news_] { news->gaveUp(); });
      has_abort_hook_ = true;
    }
#endif
  } catch (
      ...) {  // Then failures are last_heard only where Works tell of them.
  }
}

void TracedBackend::unwatchFailures() noexcept {
  // Of a forked child's parent a thread may have held the lock.
  if (!news_ || getpid() != owner_) return;
  recorder_.engineChecks().forget(news_);
#ifdef TRACED_BACKEND_HAS_supportsAbortHooks
  if (!has_abort_hook_) return;
  try {
    inner_->unregisterAbortHook(kAbortHookId);
  } catch (...) {  // What it calls is kept.
  }
#endif
}

}  // namespace traced
