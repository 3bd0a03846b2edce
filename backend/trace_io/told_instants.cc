#include "trace_io/told_instants.h"

#include <algorithm>

namespace traced {

void ToldInstants::restart(std::int64_t anchor_ns, int issued) {
  anchor_ns_ = of_others_ = anchor_ns;
  told_.clear();
  told_.reserve(static_cast<std::size_t>(issued));
  sorted_ = true;
  next_ = 0;
}

std::int64_t& ToldInstants::search(std::uint64_t op) {
  if (!sorted_) sort();
  const auto found = std::lower_bound(
      told_.begin(), told_.end(), op,
      [](const Told& told, std::uint64_t wanted) { return told.op < wanted; });
  if (found == told_.end() || found->op != op) {
    of_others_ = anchor_ns_;
    return of_others_;
  }
  next_ = static_cast<std::size_t>(found - told_.begin()) + 1;
  return found->ns;
}

void ToldInstants::sort() {
  std::stable_sort(told_.begin(), told_.end(),
                   [](const Told& a, const Told& b) { return a.op < b.op; });
  const auto same = [](const Told& a, const Told& b) { return a.op == b.op; };
  told_.erase(std::unique(told_.begin(), told_.end(), same), told_.end());
  sorted_ = true;
  next_ = 0;
}

}  // namespace traced
