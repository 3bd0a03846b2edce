#include "analysis/diagnosis/lateness/lateness.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

#include "analysis/job/dependency.h"
#include "trace_io/wrapping.h"

namespace traced {
namespace {

// The ranks that others wait for in one collective.
struct Waited {
  HoldsUp what = HoldsUp::kAnyRank;
  std::uint32_t root = 0;

  bool byAll(std::uint32_t rank) const {
    return what == HoldsUp::kAnyRank ||
           (what == HoldsUp::kRoot && rank == root);
  }
  bool bySome(std::uint32_t rank) const {
    return byAll(rank) || (what == HoldsUp::kAllButRoot && rank != root);
  }
};

// Returns the lower median. `ready_times` must be sorted by ready time and not
// empty.
const Timing& medianOf(const Timings& ready_times) {
  return ready_times[(ready_times.size() - 1) / 2];
}

// A rank's lateness at the end of the group's previous collective.
struct Carried {
  // The total lateness, and the part that was already counted.
  std::int64_t late_ns = 0;
  std::int64_t counted_ns = 0;
  // The median rank waited until this rank joined, so the lateness had its
  // effect.
  bool given_back = true;
  // Up to then, the waits of the median ranks it was compared with are
  // recorded.
  bool wait_is_seen = true;
  // Its certain lateness behind the median rank in the current collective.
  std::int64_t proven_ns = 0;
};

// Processes the collectives of a group in their order.
class Walk {
 public:
  Walk(const JobState& job, std::uint32_t group)
      : job_(job), group_(job.groups[group].collectives) {
    for (const MemberProgress& member : group_.members()) {
      clocks_.push_back(job.rank(member.rank)->clock);
    }
    std::sort(clocks_.begin(), clocks_.end());
    clocks_.erase(std::unique(clocks_.begin(), clocks_.end()), clocks_.end());
    members_ = &job.catalog.groups()[group].members;
    some_are_absent_ = !job.membersOf(group).absent.empty();
  }

  bool onOneClock() const { return clocks_.size() < 2; }

  // Describes the next collective. `ready_times` holds all members, sorted by
  // rank. Fills `lateness` in the same order.
  LateCollective describe(absl::Span<const Timing> ready_times,
                          absl::Span<std::int64_t> lateness) {
    LateCollective collective;
    collective.seq = ready_times.front().seq;
    collective.sampled = isSampled(collective.seq, job_.stride);
    collective.ready_times = ready_times;
    collective.lateness = lateness;
    order(ready_times);
    findMedians(ready_times);
    const Timing& last = ready_times[order_.back()];
    collective.rank = last.rank;
    collective.at_ns = last.ready_ns;
    median_wait_is_seen_ = medianWaitIsSeen();
    if (some_are_absent_) findFirstEnds(ready_times);
    bool was_seen = true;
    const bool follows = !carried_.empty() && collective.seq == last_seq_ + 1;
    if (!follows) carried_.assign(ready_times.size(), {});
    last_seq_ = collective.seq;
    const Waited waited = waitedIn(collective.seq);
    for (std::size_t i = 0; i < ready_times.size(); ++i) {
      lateness[i] =
          count(ready_times[i], ready_times, waited, follows, carried_[i]);
    }
    for (const std::uint32_t i : order_) {
      if (lateness[i] < collective.lateness_ns) continue;
      collective.lateness_ns = lateness[i];
      collective.rank = ready_times[i].rank;
      collective.proven_ns = std::min(lateness[i], carried_[i].proven_ns);
      was_seen = carried_[i].wait_is_seen;
    }
    collective.wait_is_seen = median_wait_is_seen_ && was_seen;
    return collective;
  }

 private:
  // Sorts indices of `ready_times` by ready time.
  void order(absl::Span<const Timing> ready_times) {
    order_.resize(ready_times.size());
    std::iota(order_.begin(), order_.end(), 0U);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::uint32_t a, std::uint32_t b) {
                       return ready_times[a].ready_ns < ready_times[b].ready_ns;
                     });
  }

  std::uint32_t clockOf(const Timing& timing) const {
    return job_.rank(timing.rank)->clock;
  }

  // Finds the median of all ranks. With several clocks also sorts the timings
  // by clock, and finds a lower bound of when the last rank was ready.
  void findMedians(absl::Span<const Timing> ready_times) {
    median_ = ready_times[order_[(order_.size() - 1) / 2]];
    if (onOneClock()) return;
    by_clock_.clear();
    all_certified_ = true;
    last_low_ns_ = std::numeric_limits<std::int64_t>::min();
    for (const std::uint32_t i : order_) {
      const Timing& each = ready_times[i];
      by_clock_[clockOf(each)].push_back(each);
      all_certified_ &= each.uncertain_ns < Timing::kUncertain;
      last_low_ns_ = std::max(
          last_low_ns_, each.ready_ns - each.early_ns - each.uncertain_ns);
    }
  }

  // Returns whether the waits of the median rank, and of each clock's median
  // rank, are recorded.
  bool medianWaitIsSeen() const {
    if (median_.unseen_wait) return false;
    return onOneClock() ||
           std::none_of(by_clock_.begin(), by_clock_.end(),
                        [](const auto& each) {
                          return medianOf(each.second).unseen_wait;
                        });
  }

  Waited waitedIn(std::uint64_t seq) const {
    const std::uint32_t id = group_.signatureOf(seq);
    if (id == CollectiveTable::kNoSignature ||
        group_.disputes().contains(seq)) {
      return {};
    }
    const Signature& signature = job_.signatures.at(id);
    if (signature.root_plus_1 == 0) return {};
    const auto root = members_->at(signature.root_plus_1 - 1);
    if (!root) return {};
    return {whoHoldsUp(signature.op), *root};
  }

  // Returns the maximum error of the difference between two ranks' ready times.
  std::int64_t uncertain(const Timing& a, const Timing& b) const {
    if (onOneClock() || clockOf(a) == clockOf(b)) return 0;
    return a.uncertain_ns + b.uncertain_ns;
  }

  // Returns how much longer than another rank it ran by itself since both were
  // released from a collective of the group. If a release is unknown, counts
  // from the previous call, plus the lateness at that call.
  static std::int64_t ownBehind(const Timing& own, const Timing& other,
                                std::int64_t late_before_ns) {
    const std::int64_t since_call_ns =
        more(own.since_call, other.since_call, late_before_ns);
    if (!own.since_release.known() || !other.since_release.known()) {
      return since_call_ns;
    }
    const std::int64_t since_release_ns =
        more(own.since_release, other.since_release, late_before_ns);
    // A future may have ended long before the program waited for it. If only
    // one of the two releases is recorded, the two may be of different
    // collectives.
    return own.release_is_seen == other.release_is_seen
               ? since_release_ns
               : std::min(since_release_ns, since_call_ns);
  }

  // Returns the maximum value if either time is unknown.
  static std::int64_t more(const OwnTime& mine, const OwnTime& theirs,
                           std::int64_t late_before_ns) {
    if (!mine.known() || !theirs.known()) {
      return std::numeric_limits<std::int64_t>::max();
    }
    return late_before_ns + mine.least_ns - theirs.most_ns;
  }

  // Returns how late the rank was behind another one through its own doing.
  std::int64_t lateBehind(const Timing& own, const Timing& other, bool follows,
                          const Carried& before) const {
    // Compares with the earliest instant at which the other rank may have been
    // ready, if the previous collective is known. Otherwise compares with the
    // latest.
    const std::int64_t called_ns =
        follows ? other.ready_ns - other.early_ns : other.ready_ns;
    const std::int64_t behind_ns =
        own.ready_ns - own.early_ns - called_ns - uncertain(own, other);
    // Own times need no common clock.
    return std::clamp<std::int64_t>(ownBehind(own, other, before.late_ns), 0,
                                    std::max<std::int64_t>(behind_ns, 0));
  }

  // Returns how late the rank was behind the median rank, by its own doing.
  // Also compares with the median of its own clock and returns the larger
  // value. That step requires certified clocks and that no rank was certainly
  // later.
  std::int64_t lateBy(const Timing& own, bool follows, Carried& carried) const {
    const std::int64_t proven_ns = lateBehind(own, median_, follows, carried);
    carried.proven_ns = proven_ns;
    if (onOneClock() || !all_certified_ ||
        own.ready_ns + own.uncertain_ns < last_low_ns_) {
      return proven_ns;
    }
    const Timing& near = medianOf(by_clock_.at(clockOf(own)));
    return std::max(proven_ns, lateBehind(own, near, follows, carried));
  }

  // Returns whether another rank is known to have been in the collective until
  // `own` joined.
  bool waitedFor(const Timing& own, const Timing& other) const {
    if (other.took_ns < 0) return false;
    const std::int64_t behind_ns = own.ready_ns - other.ready_ns;
    const std::int64_t off_ns = uncertain(own, other);
    return other.unseen_ns <= behind_ns - own.early_ns - off_ns &&
           other.took_ns >= behind_ns + off_ns;
  }
  bool anyWaitedFor(const Timing& own,
                    absl::Span<const Timing> ready_times) const {
    return std::any_of(
        ready_times.begin(), ready_times.end(),
        [&](const Timing& other) { return waitedFor(own, other); });
  }

  // Finds the first known end on each clock.
  void findFirstEnds(absl::Span<const Timing> ready_times) {
    first_ends_.clear();
    for (const Timing& each : ready_times) {
      if (each.took_ns < 0) continue;
      const std::int64_t end_ns = each.ready_ns + each.took_ns;
      const auto [first, added] = first_ends_.emplace(clockOf(each), end_ns);
      if (!added) first->second = std::min(first->second, end_ns);
    }
  }

  // Returns whether a rank without a trace may have joined even later. Excluded
  // only if some rank of this clock ended at most `late_ns` after this rank was
  // ready.
  bool absentMayBeLater(const Timing& own, std::int64_t late_ns) const {
    if (!some_are_absent_) return false;
    const auto first = first_ends_.find(clockOf(own));
    return first == first_ends_.end() || first->second > own.ready_ns + late_ns;
  }

  // Returns the part of the rank's lateness that is new and delayed others.
  // Updates `carried`.
  std::int64_t count(const Timing& own, absl::Span<const Timing> ready_times,
                     const Waited& waited, bool follows,
                     Carried& carried) const {
    if (carried.given_back && !median_.called_ahead) carried = {};
    const std::int64_t late_ns = lateBy(own, follows, carried);
    const bool by_median = waited.byAll(own.rank) || waitedFor(own, median_);
    const bool waits = by_median || waited.bySome(own.rank) ||
                       (late_ns > 0 && anyWaitedFor(own, ready_times));
    const bool counts = waits && !absentMayBeLater(own, late_ns);
    const std::int64_t counted_ns =
        counts ? std::max<std::int64_t>(late_ns - carried.counted_ns, 0) : 0;
    carried.late_ns = late_ns;
    carried.counted_ns =
        counts ? late_ns : std::min(carried.counted_ns, late_ns);
    carried.given_back = by_median;
    carried.wait_is_seen &= median_wait_is_seen_ || late_ns == 0;
    return counted_ns;
  }

  const JobState& job_;
  const CollectiveTable& group_;
  const RankList* members_ = nullptr;
  bool some_are_absent_ = false;
  std::vector<std::uint32_t> clocks_;
  std::uint64_t last_seq_ = 0;
  Timing median_;
  bool median_wait_is_seen_ = true;
  std::map<std::uint32_t, Timings> by_clock_;
  std::map<std::uint32_t, std::int64_t> first_ends_;
  bool all_certified_ = true;
  std::int64_t last_low_ns_ = 0;
  // One per member, in the order of `ready_times`.
  std::vector<Carried> carried_;
  std::vector<std::uint32_t> order_;
};

}  // namespace

namespace {

// Returns the index of a member, or the number of members.
std::size_t indexOf(absl::Span<const Timing> members, std::uint32_t who) {
  const auto own = std::lower_bound(
      members.begin(), members.end(), who,
      [](const Timing& each, std::uint32_t id) { return each.rank < id; });
  const bool is_member = own != members.end() && own->rank == who;
  return static_cast<std::size_t>((is_member ? own : members.end()) -
                                  members.begin());
}

}  // namespace

std::int64_t LateCollective::latenessOf(std::uint32_t who) const {
  const std::size_t index = indexOf(ready_times, who);
  return index < lateness.size() ? lateness[index] : 0;
}

const Timing* LateCollective::timingOf(std::uint32_t who) const {
  const std::size_t index = indexOf(ready_times, who);
  return index < ready_times.size() ? &ready_times[index] : nullptr;
}

void addLateness(std::int64_t late_ns, const LateCollective* before,
                 const LateCollective& collective, LateTimes& late) {
  late.late_ns = wrappingSum(late.late_ns, late_ns);
  const Timing* own = collective.timingOf(late.rank);
  const std::int64_t end_ns = own ? own->ready_ns : collective.at_ns;
  std::int64_t begin_ns = wrappingDifference(end_ns, late_ns);
  if (before && before->seq + 1 == collective.seq) {
    begin_ns = std::min(begin_ns, before->at_ns);
  } else if (own && own->since_call.known()) {
    begin_ns =
        std::min(begin_ns, wrappingDifference(end_ns, own->since_call.most_ns));
  } else {
    late.may_begin_earlier = true;
  }
  late.windows.push_back({std::min(begin_ns, end_ns), end_ns});
}

GroupLateness::GroupLateness(const JobState& job, std::uint32_t group) {
  const std::size_t size = job.groups[group].collectives.members().size();
  if (size < 2) return;
  Walk walk(job, group);
  one_clock_ = walk.onOneClock();
  ready_times_ = bySeq(job.groups[group].timings);
  lateness_.resize(ready_times_.size());
  for (std::size_t i = 0; i < ready_times_.size();) {
    std::size_t end = i;
    while (end < ready_times_.size() &&
           ready_times_[end].seq == ready_times_[i].seq) {
      ++end;
    }
    if (end - i == size && ready_times_[i].seq > 1) {
      collectives_.push_back(
          walk.describe(absl::MakeConstSpan(ready_times_).subspan(i, size),
                        absl::MakeSpan(lateness_).subspan(i, size)));
    }
    i = end;
  }
}

}  // namespace traced
