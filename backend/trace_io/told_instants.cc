#include "trace_io/told_instants.h"

#include <algorithm>

namespace traced {

ToldInstants::ToldInstants(std::int64_t anchor_ns, int issued)
    : anchor_ns_(anchor_ns), of_others_(anchor_ns) {
  told_.reserve(static_cast<std::size_t>(issued));
}

void ToldInstants::issue(std::uint64_t op, std::int64_t issue_ns) {
  if (!told_.empty() && told_.back().op >= op) {
    sorted_ = false;
    hint_ = ~std::size_t{0};
  }
  told_.push_back({op, issue_ns});
}

std::int64_t& ToldInstants::search(std::uint64_t op) {
  if (!sorted_) sort();
  if (hint_ + 1 < told_.size() && told_[hint_ + 1].op == op) {
    return told_[++hint_].ns;
  }
  const auto found = std::lower_bound(
      told_.begin(), told_.end(), op,
      [](const Told& told, std::uint64_t wanted) { return told.op < wanted; });
  if (found == told_.end() || found->op != op) {
    of_others_ = anchor_ns_;
    return of_others_;
  }
  hint_ = static_cast<std::size_t>(found - told_.begin());
  return found->ns;
}

void ToldInstants::sort() {
  std::stable_sort(told_.begin(), told_.end(),
                   [](const Told& a, const Told& b) { return a.op < b.op; });
  const auto same = [](const Told& a, const Told& b) { return a.op == b.op; };
  told_.erase(std::unique(told_.begin(), told_.end(), same), told_.end());
  sorted_ = true;
  hint_ = 0;
}

}  // namespace traced
