#include "analysis/diagnosis/straggler_rule.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "analysis/diagnosis/words.h"

namespace traced {
namespace {

using Collectives = std::vector<LateCollective>;

// What makes a rank a straggler: in a stretch of collectives it is late by
// itself for nearly as long as the latest rank, in each quarter of the stretch
// for most of it, and that is a good part of the time.
constexpr std::size_t kLeast = 12;
constexpr std::size_t kLeastTimes = 8;
constexpr std::size_t kParts = 8;
constexpr double kOfAllWaiting = 0.85;
constexpr double kOfAQuarter = 0.7;
constexpr double kOfTheTime = 0.1;
constexpr std::int64_t kNoticeableNs = 1'000'000;
// For less a rank may just have been without a processor.
constexpr std::int64_t kLeastSpanNs = 500'000'000;

// A part of a run: collectives [begin, end) of those timed.
struct Stretch {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct Straggler {
  std::uint32_t rank = 0;
  Stretch where;
  // How often it was noticeably late, and by how much.
  std::size_t times = 0;
  std::int64_t late_ns = 0;
  std::int64_t median_ns = 0;
  std::int64_t span_ns = 0;
};

// The one that is latest for most of the time.
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

// By how much a rank was late to each collective of a stretch.
std::vector<std::int64_t> latenessOf(std::uint32_t rank,
                                     const Collectives& collectives,
                                     const Stretch& stretch) {
  std::vector<std::int64_t> lateness;
  for (std::size_t i = stretch.begin; i < stretch.end; ++i) {
    lateness.push_back(collectives[i].latenessOf(rank));
  }
  return lateness;
}

// Whether a rank, with its own lateness, is late for such a share of the time
// for which the latest one is. Both begin with the same collective.
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

std::optional<Straggler> judge(const Collectives& collectives,
                               std::uint64_t stride, const Stretch& stretch) {
  const auto rank = latestRank(collectives, stretch);
  if (!rank) return std::nullopt;
  const auto own = latenessOf(*rank, collectives, stretch);
  if (!isPersistent(absl::MakeSpan(collectives).subspan(stretch.begin), own)) {
    return std::nullopt;
  }
  Straggler straggler;
  straggler.rank = *rank;
  straggler.where = stretch;
  std::vector<std::int64_t> noticeable;
  for (const std::int64_t late_ns : own) {
    straggler.late_ns += late_ns;
    if (late_ns >= kNoticeableNs) noticeable.push_back(late_ns);
  }
  straggler.times = noticeable.size();
  // As much as that in those that were not timed.
  straggler.late_ns *= static_cast<std::int64_t>(stride);
  straggler.span_ns =
      collectives[stretch.end - 1].at_ns - collectives[stretch.begin].at_ns;
  const bool material = static_cast<double>(straggler.late_ns) >=
                        kOfTheTime * static_cast<double>(straggler.span_ns);
  if (!material || straggler.times < kLeastTimes ||
      straggler.span_ns < kLeastSpanNs) {
    return std::nullopt;
  }
  straggler.median_ns = medianNs(std::move(noticeable));
  return straggler;
}

// The same since it began: where the rank is noticeably late, and in half of
// what comes next.
Straggler sinceItBegan(const Collectives& collectives, std::uint64_t stride,
                       const Straggler& known) {
  const std::size_t end = known.where.end;
  const auto isLate = [&](const LateCollective& collective) {
    return collective.latenessOf(known.rank) >= kNoticeableNs;
  };
  std::size_t tries = 0;
  for (std::size_t i = 0; i + kLeast <= end && tries < kParts; ++i) {
    if (!isLate(collectives[i])) continue;
    const auto begin = collectives.begin() + static_cast<std::ptrdiff_t>(i);
    const auto late = std::count_if(begin, begin + kLeastTimes, isLate);
    if (late < static_cast<std::ptrdiff_t>(kLeastTimes / 2)) continue;
    ++tries;
    const auto straggler = judge(collectives, stride, {i, end});
    if (straggler && straggler->rank == known.rank) return *straggler;
  }
  return known;
}

// Over the whole run, or from some point on to its end.
std::optional<Straggler> stragglerIn(const Collectives& collectives,
                                     std::uint64_t stride) {
  if (collectives.size() < kLeast) return std::nullopt;
  if (const auto straggler =
          judge(collectives, stride, {0, collectives.size()})) {
    return sinceItBegan(collectives, stride, *straggler);
  }
  for (std::size_t part = 1; part < kParts; ++part) {
    const std::size_t begin = collectives.size() * part / kParts;
    if (collectives.size() - begin < kLeast) break;
    if (const auto straggler =
            judge(collectives, stride, {begin, collectives.size()})) {
      return sinceItBegan(collectives, stride, *straggler);
    }
  }
  return std::nullopt;
}

JobVerdict tellStraggler(const JobState& job, std::uint32_t group,
                         const Collectives& collectives,
                         const Straggler& straggler) {
  JobVerdict verdict;
  verdict.kind = VerdictKind::kStraggler;
  verdict.finding = verdict.culprit = Confidence::kLikely;
  verdict.ranks = verdict.culprits = {straggler.rank};
  verdict.group = group;
  verdict.since_ns = collectives[straggler.where.begin].at_ns;
  verdict.since_seq = collectives[straggler.where.begin].seq;
  const std::size_t count = straggler.where.end - straggler.where.begin;
  const std::string& label = job.catalog.label(group);
  verdict.summary = absl::StrCat(
      "Rank ", straggler.rank, " keeps the others of \"", label, "\" waiting.");
  verdict.evidence.push_back(absl::StrCat(
      "It was late, by ", secondsText(straggler.median_ns), " (median), to ",
      straggler.times, " of ", count, " collectives from #",
      collectives[straggler.where.begin].seq, " to #",
      collectives[straggler.where.end - 1].seq, "."));
  verdict.evidence.push_back(absl::StrFormat(
      "That is %.0f %% of the time between them.",
      100.0 * static_cast<double>(straggler.late_ns) /
          static_cast<double>(std::max<std::int64_t>(straggler.span_ns, 1))));
  verdict.evidence.push_back(
      "All its members read one clock, so the figures are exact.");
  verdict.advice.push_back(absl::StrCat(
      "what rank ", straggler.rank,
      " computes before these calls: its data, its processor, its host"));
  return verdict;
}

}  // namespace

std::optional<JobVerdict> findStraggler(const JobState& job,
                                        std::uint32_t group,
                                        const GroupLateness& lateness) {
  const auto straggler = stragglerIn(lateness.collectives(), job.stride);
  if (!straggler) return std::nullopt;
  return tellStraggler(job, group, lateness.collectives(), *straggler);
}

}  // namespace traced
