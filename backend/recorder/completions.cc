#include "recorder/completions.h"

namespace traced {

bool Completions::takeEarly(std::uint64_t key, std::int64_t issue_ns,
                            Early& taken) noexcept {
  for (Early& early : early_) {
    // An earlier completion with this key belongs to another operation.
    if (early.key == key && early.end_ns >= issue_ns) {
      taken = early;
      early = {};
      return true;
    }
  }
  return false;
}

void Completions::remember(std::uint64_t key, OpId op) {
  if (young_.size() >= kMaxPending / 2) {
    old_.swap(young_);
    young_.clear();
  }
  young_[key] = op;
}

bool Completions::takePending(Pending& pending, std::uint64_t key,
                              OpId& op) noexcept {
  const auto found = pending.find(key);
  if (found == pending.end()) return false;
  op = found->second;
  pending.erase(found);
  return true;
}

void Completions::issued(std::uint64_t key, OpId op,
                         std::int64_t issue_ns) noexcept {
  Early end{};
  {
    const std::lock_guard lock(mutex_);
    if (!takeEarly(key, issue_ns, end)) {
      try {
        remember(key, op);
      } catch (...) {  // no memory: the end stays unobserved
      }
      return;
    }
  }
  recordEnd(op, end);
}

void Completions::completed(std::uint64_t key, std::int64_t end_ns,
                            std::uint64_t engine_ns_plus_1) noexcept {
  const Early end{key, end_ns, engine_ns_plus_1};
  OpId op = kLostOp;
  {
    const std::lock_guard lock(mutex_);
    if (!takePending(young_, key, op) && !takePending(old_, key, op)) {
      early_[next_early_++ % early_.size()] = end;
      return;
    }
  }
  recordEnd(op, end);
}

void Completions::recordEnd(OpId op, const Early& end) noexcept {
  recorder_.done({op, end.end_ns, end.engine_ns_plus_1, 0,
                  EndSource::kCompletionHook, Outcome::kOk});
}

}  // namespace traced
