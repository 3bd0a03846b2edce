#include "trace_io/latest_instants.h"

#include <algorithm>

namespace traced {

void LatestInstants::restart(std::int64_t anchor_ns, int issued) {
  anchor_ns_ = scratch_ns_ = anchor_ns;
  const auto room = static_cast<std::size_t>(issued);
  if (entries_.size() < room) entries_.resize(room);
  size_ = 0;
  sorted_ = true;
  next_ = 0;
}

std::int64_t& LatestInstants::search(std::uint64_t op) {
  if (!sorted_) sort();
  const auto end = entries_.begin() + static_cast<std::ptrdiff_t>(size_);
  const auto found = std::lower_bound(
      entries_.begin(), end, op, [](const Entry& entry, std::uint64_t wanted) {
        return entry.op < wanted;
      });
  if (found == end || found->op != op) {
    scratch_ns_ = anchor_ns_;
    return scratch_ns_;
  }
  next_ = static_cast<std::size_t>(found - entries_.begin()) + 1;
  return found->ns;
}

void LatestInstants::sort() {
  const auto end = entries_.begin() + static_cast<std::ptrdiff_t>(size_);
  std::stable_sort(entries_.begin(), end,
                   [](const Entry& a, const Entry& b) { return a.op < b.op; });
  const auto same = [](const Entry& a, const Entry& b) { return a.op == b.op; };
  size_ = static_cast<std::size_t>(std::unique(entries_.begin(), end, same) -
                                   entries_.begin());
  sorted_ = true;
  next_ = 0;
}

}  // namespace traced
