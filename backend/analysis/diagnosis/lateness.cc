#include "analysis/diagnosis/lateness.h"

#include <algorithm>
#include <optional>

namespace traced {
namespace {

bool readOneClock(const JobState& job, std::uint32_t group) {
  std::optional<std::uint32_t> clock;
  for (const MemberProgress& member : job.groups[group].collectives.members()) {
    const std::uint32_t own = job.rank(member.rank)->clock;
    if (clock && *clock != own) return false;
    clock = own;
  }
  return true;
}

bool isReadyBefore(const Timing& a, const Timing& b) {
  return a.ready_ns != b.ready_ns ? a.ready_ns < b.ready_ns : a.rank < b.rank;
}

const Timing& medianOf(absl::Span<const Timing> arrivals) {
  return arrivals[(arrivals.size() - 1) / 2];
}

std::int64_t lateness(const Timing& own, const Timing& median) {
  std::int64_t held_up_ns = own.held_up_ns - median.held_up_ns;
  if (own.released_ns != Timing::kNotSeen &&
      median.released_ns != Timing::kNotSeen) {
    held_up_ns += own.released_ns - median.released_ns;
  }
  const std::int64_t lateness_ns = own.ready_ns - median.ready_ns;
  return std::max<std::int64_t>(
      lateness_ns - std::max<std::int64_t>(held_up_ns, 0), 0);
}

LateCollective describe(absl::Span<const Timing> arrivals) {
  LateCollective collective;
  collective.seq = arrivals.back().seq;
  collective.rank = arrivals.back().rank;
  collective.at_ns = arrivals.back().ready_ns;
  collective.arrivals = arrivals;
  const Timing& median = medianOf(arrivals);
  for (const Timing& arrival : arrivals) {
    const std::int64_t lateness_ns = lateness(arrival, median);
    if (lateness_ns < collective.lateness_ns) continue;
    collective.lateness_ns = lateness_ns;
    collective.rank = arrival.rank;
  }
  return collective;
}

}  // namespace

std::int64_t LateCollective::latenessOf(std::uint32_t who) const {
  // Who is late is near the end.
  const auto own =
      std::find_if(arrivals.rbegin(), arrivals.rend(),
                   [who](const Timing& each) { return each.rank == who; });
  return own == arrivals.rend() ? 0 : lateness(*own, medianOf(arrivals));
}

GroupLateness::GroupLateness(const JobState& job, std::uint32_t group) {
  if (!readOneClock(job, group)) return;
  arrivals_ = bySeq(job.groups[group].timings);
  const std::size_t size = job.groups[group].collectives.members().size();
  for (std::size_t i = 0; i < arrivals_.size();) {
    std::size_t end = i;
    while (end < arrivals_.size() && arrivals_[end].seq == arrivals_[i].seq) {
      ++end;
    }
    if (end - i == size && size > 1 && arrivals_[i].seq > 1) {
      const auto first = arrivals_.begin() + static_cast<std::ptrdiff_t>(i);
      std::sort(first, arrivals_.begin() + static_cast<std::ptrdiff_t>(end),
                isReadyBefore);
      collectives_.push_back(
          describe(absl::MakeConstSpan(arrivals_).subspan(i, size)));
    }
    i = end;
  }
}

std::int64_t medianNs(std::vector<std::int64_t> values) {
  const auto middle =
      values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace traced
