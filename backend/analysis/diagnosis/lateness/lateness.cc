#include "analysis/diagnosis/lateness/lateness.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

#include "analysis/job/dependency.h"

namespace traced {
namespace {

// Who is waited for, in one collective.
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

// Of arrivals by when they were ready.
const Timing& medianOf(const Timings& ready_times) {
  return ready_times[(ready_times.size() - 1) / 2];
}

// What a rank's lateness was when the group's collective before was over.
struct Carried {
  // In all, and what of it was counted.
  std::int64_t late_ns = 0;
  std::int64_t counted_ns = 0;
  // Those who waited for it had waited until it came.
  bool given_back = true;
  // Of whom it was compared with to that, the wait was seen.
  bool wait_is_seen = true;
  // How late it was to the one that is looked at, certainly.
  std::int64_t proven_ns = 0;
};

// Goes through the collectives of a group in their order.
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

  // All arrivals of the next one, by rank.
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
  // By when they were ready.
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

  // Of all, and where there are several clocks of each; and when the last one
  // was certainly ready.
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

  // Of the median rank of all, and of each clock.
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

  // How far apart two instants of these ranks may be less than they seem.
  std::int64_t uncertain(const Timing& a, const Timing& b) const {
    if (onOneClock() || clockOf(a) == clockOf(b)) return 0;
    return a.uncertain_ns + b.uncertain_ns;
  }

  // By how much more than another rank it did by itself, since both came back
  // from a collective of the group or else since they called the one before, to
  // which it was late already.
  static std::int64_t ownBehind(const Timing& own, const Timing& other,
                                std::int64_t late_before_ns) {
    const std::int64_t since_call_ns =
        more(own.since_call, other.since_call, late_before_ns);
    if (!own.since_release.known() || !other.since_release.known()) {
      return since_call_ns;
    }
    const std::int64_t since_release_ns =
        more(own.since_release, other.since_release, late_before_ns);
    // A future may have ended long before the program waited for it. Where one
    // was seen to be released and the other was not, they need not have come
    // back from the same.
    return own.release_is_seen == other.release_is_seen
               ? since_release_ns
               : std::min(since_release_ns, since_call_ns);
  }

  // Unknown is as much as can be.
  static std::int64_t more(const OwnTime& mine, const OwnTime& theirs,
                           std::int64_t late_before_ns) {
    if (!mine.known() || !theirs.known()) {
      return std::numeric_limits<std::int64_t>::max();
    }
    return late_before_ns + mine.least_ns - theirs.most_ns;
  }

  // By how much the rank was late by its own doing, behind another one.
  std::int64_t lateBehind(const Timing& own, const Timing& other, bool follows,
                          const Carried& before) const {
    // While the other one had not come back from the collectives before it
    // counts when both called; where nothing is known of these, when it can
    // have been ready at the latest.
    const std::int64_t called_ns =
        follows ? other.ready_ns - other.early_ns : other.ready_ns;
    const std::int64_t behind_ns =
        own.ready_ns - own.early_ns - called_ns - uncertain(own, other);
    // Own times need no common clock.
    return std::clamp<std::int64_t>(ownBehind(own, other, before.late_ns), 0,
                                    std::max<std::int64_t>(behind_ns, 0));
  }

  // The same behind the median rank; of what is only certain on its own clock
  // the more, unless somebody was certainly later.
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

  // Whether another rank was seen to be in the collective until `own` came,
  // whatever it had to wait for.
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

  // By clock; of ends that are known.
  void findFirstEnds(absl::Span<const Timing> ready_times) {
    first_ends_.clear();
    for (const Timing& each : ready_times) {
      if (each.took_ns < 0) continue;
      const std::int64_t end_ns = each.ready_ns + each.took_ns;
      const auto [first, added] = first_ends_.emplace(clockOf(each), end_ns);
      if (!added) first->second = std::min(first->second, end_ns);
    }
  }

  // Whether somebody without a trace may have come later still than a rank that
  // was so late: nobody is known to have ended sooner behind it than that.
  bool absentMayBeLater(const Timing& own, std::int64_t late_ns) const {
    if (!some_are_absent_) return false;
    const auto first = first_ends_.find(clockOf(own));
    return first == first_ends_.end() || first->second > own.ready_ns + late_ns;
  }

  // What of it is new, and kept others waiting.
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
  // Of each member, in the order of `arrivals`.
  std::vector<Carried> carried_;
  std::vector<std::uint32_t> order_;
};

}  // namespace

std::int64_t LateCollective::latenessOf(std::uint32_t who) const {
  const auto own = std::lower_bound(
      ready_times.begin(), ready_times.end(), who,
      [](const Timing& each, std::uint32_t id) { return each.rank < id; });
  if (own == ready_times.end() || own->rank != who) return 0;
  return lateness[static_cast<std::size_t>(own - ready_times.begin())];
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
