#include "recorder/completions.h"

namespace traced {

bool Completions::takeEarly(std::uint64_t key, std::int64_t issue_ns,
                            std::int64_t& end_ns) noexcept {
  for (Early& early : early_) {
    // An older one with this key was another operation's.
    if (early.key == key && early.end_ns >= issue_ns) {
      end_ns = early.end_ns;
      early = {};
      return true;
    }
  }
  return false;
}

void Completions::issued(std::uint64_t key, OpId op,
                         std::int64_t issue_ns) noexcept {
  std::int64_t end_ns = 0;
  {
    const std::lock_guard lock(mutex_);
    if (!takeEarly(key, issue_ns, end_ns)) {
      try {
        if (pending_.size() < kMostPending) pending_[key] = op;
      } catch (...) {  // no memory: the end stays unobserved
      }
      return;
    }
  }
  recorder_.done(op, end_ns, EndSource::kCompletionHook);
}

void Completions::completed(std::uint64_t key, std::int64_t end_ns) noexcept {
  OpId op = kLostOp;
  {
    const std::lock_guard lock(mutex_);
    const auto found = pending_.find(key);
    if (found == pending_.end()) {
      early_[next_early_++ % early_.size()] = {key, end_ns};
      return;
    }
    op = found->second;
    pending_.erase(found);
  }
  recorder_.done(op, end_ns, EndSource::kCompletionHook);
}

}  // namespace traced
