#include <algorithm>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "analysis/diagnosis/lateness/compared_ranks.h"
#include "analysis/diagnosis/lateness/lateness_rules.h"
#include "analysis/statistics/median.h"

namespace traced {
namespace {

using Collectives = std::vector<LateCollective>;

// A straggler is a rank whose own lateness in a stretch of collectives makes up
// kOfAllWaiting of the latest ranks' lateness. In each quarter of the stretch
// it must reach kOfAQuarter. It must be late for kOfTheTime of the time even if
// its kFewTimes longest delays count as the next longest.
constexpr std::size_t kMin = 12;
constexpr std::size_t kMinTimes = 8;
constexpr std::size_t kFewTimes = 3;
constexpr std::size_t kParts = 8;
constexpr double kOfAllWaiting = 0.85;
constexpr double kOfAQuarter = 0.7;
constexpr double kOfTheTime = 0.1;
constexpr std::int64_t kNoticeableNs = 1'000'000;
// Below this, a rank may merely have lost its processor.
constexpr std::int64_t kMinSpanNs = 500'000'000;

// A part of a run: the timed collectives [begin, end).
struct Stretch {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct Straggler {
  std::uint32_t rank = 0;
  // All ranks that are late for nearly as long as the latest one.
  std::vector<std::uint32_t> alike;
  Stretch where;
  // Number of noticeable delays, and their median.
  std::size_t times = 0;
  std::int64_t median_ns = 0;
  double of_the_time = 0;
  // For most of these delays the waits of others are recorded.
  bool waits_seen = true;
};

// Returns the rank with the most lateness as the latest rank of a collective.
// Absent if nobody was late.
std::optional<std::uint32_t> latestRank(const Collectives& collectives,
                                        const Stretch& stretch) {
  absl::flat_hash_map<std::uint32_t, std::int64_t> by_rank;
  std::optional<std::uint32_t> latest;
  for (std::size_t i = stretch.begin; i < stretch.end; ++i) {
    const LateCollective& one = collectives[i];
    if (one.lateness_ns == 0) continue;
    by_rank[one.rank] += one.lateness_ns;
    if (!latest || by_rank[one.rank] > by_rank[*latest]) latest = one.rank;
  }
  return latest;
}

// Returns a rank's lateness in each collective of a stretch, in ns.
std::vector<std::int64_t> latenessOf(std::uint32_t rank,
                                     const Collectives& collectives,
                                     const Stretch& stretch) {
  std::vector<std::int64_t> lateness;
  for (std::size_t i = stretch.begin; i < stretch.end; ++i) {
    lateness.push_back(collectives[i].latenessOf(rank));
  }
  return lateness;
}

// Returns whether a rank's lateness is at least `share` of the latest ranks'
// lateness. `own` and `collectives` start with the same collective.
bool isLateFor(absl::Span<const LateCollective> collectives,
               absl::Span<const std::int64_t> own, double share) {
  std::int64_t own_ns = 0;
  std::int64_t all_ns = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    own_ns += own[i];
    all_ns += collectives[i].lateness_ns;
  }
  return own_ns > 0 &&
         static_cast<double>(own_ns) >= share * static_cast<double>(all_ns);
}

bool isPersistent(absl::Span<const LateCollective> collectives,
                  absl::Span<const std::int64_t> own) {
  if (!isLateFor(collectives, own, kOfAllWaiting)) return false;
  for (std::size_t quarter = 0; quarter < 4; ++quarter) {
    const std::size_t begin = own.size() * quarter / 4;
    const std::size_t end = own.size() * (quarter + 1) / 4;
    if (!isLateFor(collectives.subspan(begin), own.subspan(begin, end - begin),
                   kOfAQuarter)) {
      return false;
    }
  }
  return true;
}

// Returns the fraction of the time for which a rank is noticeably late. With
// `only_seen`, counts only delays with recorded waits. Uses only collectives
// directly after a timed one. Limits each delay to the elapsed time that no
// earlier delay accounts for.
double ofTheTime(absl::Span<const LateCollective> collectives,
                 absl::Span<const std::int64_t> own, bool only_seen) {
  double late_ns = 0;
  double passed_ns = 0;
  std::int64_t since_ns = 0;
  for (std::size_t i = 1; i < own.size(); ++i) {
    if (collectives[i].seq != collectives[i - 1].seq + 1) {
      since_ns = 0;
      continue;
    }
    const std::int64_t gap_ns = std::max<std::int64_t>(
        collectives[i].at_ns - collectives[i - 1].at_ns, 0);
    since_ns += gap_ns;
    const bool counts =
        own[i] >= kNoticeableNs && (collectives[i].wait_is_seen || !only_seen);
    const std::int64_t late_here_ns = counts ? std::min(own[i], since_ns) : 0;
    since_ns -= late_here_ns;
    late_ns += static_cast<double>(late_here_ns);
    passed_ns += static_cast<double>(gap_ns);
  }
  return late_ns / std::max(passed_ns, 1.0);
}

// Replaces the kFewTimes longest delays by the next longest one. `own` must
// have more than kFewTimes values.
std::vector<std::int64_t> withoutRare(std::vector<std::int64_t> own) {
  std::vector<std::int64_t> longest = own;
  const auto next = longest.begin() + kFewTimes;
  std::nth_element(longest.begin(), next, longest.end(), std::greater<>());
  for (std::int64_t& lateness_ns : own) {
    lateness_ns = std::min(lateness_ns, *next);
  }
  return own;
}

std::optional<Straggler> judge(const Collectives& collectives,
                               const Stretch& stretch) {
  const auto rank = latestRank(collectives, stretch);
  if (!rank) return std::nullopt;
  const auto own = latenessOf(*rank, collectives, stretch);
  const auto in_stretch =
      absl::MakeConstSpan(collectives).subspan(stretch.begin, own.size());
  if (!isPersistent(in_stretch, own)) return std::nullopt;
  Straggler straggler;
  straggler.rank = *rank;
  straggler.where = stretch;
  std::vector<std::int64_t> noticeable;
  std::size_t seen = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (own[i] < kNoticeableNs) continue;
    noticeable.push_back(own[i]);
    seen += in_stretch[i].wait_is_seen;
  }
  straggler.times = noticeable.size();
  straggler.waits_seen = 2 * seen > noticeable.size();
  straggler.of_the_time = ofTheTime(in_stretch, own, straggler.waits_seen);
  const double usually_of_the_time =
      ofTheTime(in_stretch, withoutRare(own), straggler.waits_seen);
  const std::int64_t span_ns =
      in_stretch.back().at_ns - in_stretch.front().at_ns;
  if (std::min(straggler.of_the_time, usually_of_the_time) < kOfTheTime ||
      straggler.times < kMinTimes || span_ns < kMinSpanNs) {
    return std::nullopt;
  }
  straggler.median_ns = upperMedian(std::move(noticeable));
  return straggler;
}

// Computes the figures to report from delays of at least a tenth of the typical
// one. The stretch then starts with the first of these.
Straggler described(const Collectives& collectives, Straggler straggler) {
  std::vector<std::int64_t> own =
      latenessOf(straggler.rank, collectives, straggler.where);
  double sum = 0;
  double squares = 0;
  for (const std::int64_t ns : own) {
    sum += static_cast<double>(ns);
    squares += static_cast<double>(ns) * static_cast<double>(ns);
  }
  // Weights each delay by its own length, so that long delays set the
  // threshold.
  const auto least =
      std::max(kNoticeableNs, static_cast<std::int64_t>(squares / sum * 0.1));
  std::vector<std::int64_t> delays;
  std::size_t first = own.size();
  for (std::size_t i = 0; i < own.size(); ++i) {
    const LateCollective& one = collectives[straggler.where.begin + i];
    if (own[i] < least || (straggler.waits_seen && !one.wait_is_seen)) {
      own[i] = 0;
      continue;
    }
    first = std::min(first, i);
    delays.push_back(own[i]);
  }
  if (delays.empty()) return straggler;
  straggler.where.begin += first;
  const auto rest = absl::MakeConstSpan(own).subspan(first);
  straggler.times = delays.size();
  straggler.median_ns = upperMedian(std::move(delays));
  straggler.of_the_time =
      ofTheTime(absl::MakeConstSpan(collectives)
                    .subspan(straggler.where.begin, rest.size()),
                rest, straggler.waits_seen);
  return straggler;
}

// Returns the ranks that are late for nearly as long as the latest one of a
// stretch.
std::vector<std::uint32_t> lateAlike(const Collectives& collectives,
                                     const Straggler& straggler) {
  const auto [begin, end] = straggler.where;
  const auto in_stretch =
      absl::MakeConstSpan(collectives).subspan(begin, end - begin);
  std::vector<std::uint32_t> alike;
  for (const Timing& member : in_stretch.front().ready_times) {
    const auto own = latenessOf(member.rank, collectives, straggler.where);
    if (member.rank == straggler.rank || isPersistent(in_stretch, own)) {
      alike.push_back(member.rank);
    }
  }
  return alike;
}

// Extends or narrows the stretch to where the rank started to be late. It must
// be noticeably late there and in half of the next kMinTimes collectives.
Straggler sinceItBegan(const Collectives& collectives, const Straggler& known) {
  const std::size_t end = known.where.end;
  const auto isLate = [&](const LateCollective& collective) {
    return collective.latenessOf(known.rank) >= kNoticeableNs;
  };
  std::size_t tries = 0;
  for (std::size_t i = 0; i + kMin <= end && tries < kParts; ++i) {
    if (!isLate(collectives[i])) continue;
    const auto begin = collectives.begin() + static_cast<std::ptrdiff_t>(i);
    const auto late = std::count_if(begin, begin + kMinTimes, isLate);
    if (late < static_cast<std::ptrdiff_t>(kMinTimes / 2)) continue;
    ++tries;
    const auto straggler = judge(collectives, {i, end});
    if (straggler && straggler->rank == known.rank) return *straggler;
  }
  return known;
}

// Finds a straggler over the whole run, or from some point on to its end.
std::optional<Straggler> stragglerIn(const Collectives& collectives) {
  if (collectives.size() < kMin) return std::nullopt;
  if (const auto straggler = judge(collectives, {0, collectives.size()})) {
    return sinceItBegan(collectives, *straggler);
  }
  for (std::size_t part = 1; part < kParts; ++part) {
    const std::size_t begin = collectives.size() * part / kParts;
    if (collectives.size() - begin < kMin) break;
    if (const auto straggler =
            judge(collectives, {begin, collectives.size()})) {
      return sinceItBegan(collectives, *straggler);
    }
  }
  return std::nullopt;
}

// Returns when a rank was noticeably late.
LateTimes lateTimesOf(std::uint32_t rank, const Collectives& collectives,
                      const Stretch& stretch) {
  LateTimes late;
  late.rank = rank;
  for (std::size_t i = stretch.begin; i < stretch.end; ++i) {
    const std::int64_t late_ns = collectives[i].latenessOf(rank);
    if (late_ns < kNoticeableNs) continue;
    addLateness(late_ns, i > 0 ? &collectives[i - 1] : nullptr, collectives[i],
                late);
  }
  unite(late.windows);
  return late;
}

// Adds when the stragglers were late, and others that were not on time.
void addLateTimes(const Collectives& collectives, const Straggler& straggler,
                  JobVerdict& verdict) {
  std::map<std::uint32_t, double> late_ns;
  for (std::size_t i = straggler.where.begin; i < straggler.where.end; ++i) {
    const LateCollective& one = collectives[i];
    for (std::size_t member = 0; member < one.lateness.size(); ++member) {
      late_ns[one.ready_times[member].rank] +=
          static_cast<double>(one.lateness[member]);
    }
  }
  for (const auto& [rank, ns] : late_ns) {
    const bool is_straggler =
        std::find(straggler.alike.begin(), straggler.alike.end(), rank) !=
        straggler.alike.end();
    if (!is_straggler && ns * kOnTimeBelow < late_ns[straggler.rank]) continue;
    (is_straggler ? verdict.late : verdict.also_late)
        .push_back(lateTimesOf(rank, collectives, straggler.where));
  }
}

JobVerdict reportStraggler(std::uint32_t group, const Collectives& collectives,
                           const Straggler& straggler, bool on_one_clock) {
  JobVerdict verdict;
  verdict.kind = VerdictKind::kStraggler;
  verdict.finding = verdict.culprit = Confidence::kLikely;
  verdict.ranks = verdict.culprits = straggler.alike;
  verdict.group = group;
  verdict.since_ns = collectives[straggler.where.begin].at_ns;
  verdict.since_seq = collectives[straggler.where.begin].seq;
  const std::size_t count = straggler.where.end - straggler.where.begin;
  verdict.summary = {
      KeepsWaiting{straggler.alike, group, straggler.waits_seen}};
  if (straggler.alike.size() > 1) {
    verdict.reasons.push_back(LateAlike{straggler.rank});
  }
  verdict.reasons.push_back(LateTo{straggler.median_ns, straggler.times, count,
                                   collectives[straggler.where.begin].seq,
                                   collectives[straggler.where.end - 1].seq});
  verdict.reasons.push_back(
      ShareOfTime{straggler.of_the_time, straggler.waits_seen});
  verdict.reasons.push_back(on_one_clock ? PlainFact::kExactOnOneClock
                                         : PlainFact::kSeveralClocks);
  addLateTimes(collectives, straggler, verdict);
  verdict.advice.push_back(AskBeforeCalls{straggler.alike});
  return verdict;
}

}  // namespace

std::optional<JobVerdict> findStraggler(std::uint32_t group,
                                        const GroupLateness& lateness,
                                        const StandsOut& stands_out) {
  Collectives all;
  Collectives usual;
  for (const LateCollective& one : lateness.collectives()) {
    if (!one.sampled) continue;
    all.push_back(one);
    if (!stands_out(one)) usual.push_back(one);
  }
  // Also searches without unusual delays: one very long wait must not hide a
  // straggler. Prefers the one that started earlier.
  const Collectives* of = &all;
  auto straggler = stragglerIn(all);
  if (const auto hidden = stragglerIn(usual);
      hidden && (!straggler || usual[hidden->where.begin].seq <
                                   all[straggler->where.begin].seq)) {
    straggler = hidden;
    of = &usual;
  }
  if (!straggler) return std::nullopt;
  straggler->alike = lateAlike(*of, *straggler);
  return reportStraggler(group, *of, described(*of, *std::move(straggler)),
                         lateness.onOneClock());
}

}  // namespace traced
