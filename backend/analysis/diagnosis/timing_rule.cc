#include "analysis/diagnosis/timing_rule.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analysis/diagnosis/words.h"
#include "analysis/names.h"

namespace traced {
namespace {

// What makes a rank a straggler: in a stretch of collectives nearly all the
// waiting is for it, in each quarter of the stretch most of it, and that is a
// good part of the time.
constexpr std::size_t kLeast = 12;
constexpr std::size_t kLeastTimes = 8;
constexpr std::size_t kParts = 8;
constexpr double kOfAllWaiting = 0.85;
constexpr double kOfAQuarter = 0.7;
constexpr double kOfTheTime = 0.1;
constexpr std::int64_t kNoticeableNs = 1'000'000;
// For less a rank may just have been without a processor.
constexpr std::int64_t kLeastSpanNs = 500'000'000;

// Who came last to a collective, and how long the median rank waited for it.
struct Last {
  std::uint64_t seq = 0;
  std::uint32_t rank = 0;
  std::int64_t at_ns = 0;
  std::int64_t lateness_ns = 0;
};

std::int64_t medianOf(std::vector<std::int64_t> values) {
  const auto middle =
      values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// By how much it was ready after the median rank, but for the time for which it
// was held up, more than that one, by messages and other groups: that is no
// doing of its own.
std::int64_t ownLateness(const Timing& last, const Timing& median) {
  const std::int64_t held_up_ns = last.held_up_ns - median.held_up_ns;
  const std::int64_t lateness_ns = last.ready_ns - median.ready_ns;
  return std::max<std::int64_t>(
      lateness_ns - std::max<std::int64_t>(held_up_ns, 0), 0);
}

// Of the collectives that all members with a trace joined. Empty when hosts
// differ in their clocks: what cannot be certified is withheld.
std::vector<Last> lastOnes(const JobState& job, std::uint32_t group,
                           Timings arrivals) {
  std::vector<Last> lasts;
  const std::size_t size = job.groups[group].collectives.members().size();
  std::optional<std::uint32_t> clock;
  for (const MemberProgress& member : job.groups[group].collectives.members()) {
    const std::uint32_t own = job.rank(member.rank)->clock;
    if (clock && *clock != own) return lasts;
    clock = own;
  }
  std::sort(arrivals.begin(), arrivals.end(),
            [](const Timing& a, const Timing& b) {
              return a.seq != b.seq ? a.seq < b.seq : a.ready_ns < b.ready_ns;
            });
  for (std::size_t i = 0; i < arrivals.size();) {
    std::size_t end = i;
    while (end < arrivals.size() && arrivals[end].seq == arrivals[i].seq) ++end;
    // The first operation of a group waits for processes that start.
    if (end - i == size && size > 1 && arrivals[i].seq > 1) {
      const Timing& last = arrivals[end - 1];
      lasts.push_back({last.seq, last.rank, last.ready_ns,
                       ownLateness(last, arrivals[i + (size - 1) / 2])});
    }
    i = end;
  }
  return lasts;
}

// A part of a run: collectives [begin, end) of those timed.
struct Stretch {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct Straggler {
  std::uint32_t rank = 0;
  Stretch where;
  // How often it was noticeably last, and by how much.
  std::size_t times = 0;
  std::int64_t waited_ns = 0;
  std::int64_t median_ns = 0;
  std::int64_t span_ns = 0;
};

// The rank that most of the waiting of a stretch is for, if that is at least
// `share` of it.
std::optional<std::uint32_t> mostWaitedFor(const std::vector<Last>& lasts,
                                           const Stretch& stretch,
                                           double share) {
  absl::flat_hash_map<std::uint32_t, std::int64_t> by_rank;
  std::int64_t all_ns = 0;
  for (std::size_t i = stretch.begin; i < stretch.end; ++i) {
    by_rank[lasts[i].rank] += lasts[i].lateness_ns;
    all_ns += lasts[i].lateness_ns;
  }
  for (const auto& [rank, waited_ns] : by_rank) {
    const bool is_most =
        static_cast<double>(waited_ns) >= share * static_cast<double>(all_ns);
    if (waited_ns > 0 && is_most) {
      return rank;
    }
  }
  return std::nullopt;
}

bool isPersistent(const std::vector<Last>& lasts, const Stretch& stretch,
                  std::uint32_t rank) {
  const std::size_t count = stretch.end - stretch.begin;
  for (std::size_t quarter = 0; quarter < 4; ++quarter) {
    const Stretch part{stretch.begin + count * quarter / 4,
                       stretch.begin + count * (quarter + 1) / 4};
    if (mostWaitedFor(lasts, part, kOfAQuarter) != rank) return false;
  }
  return true;
}

std::optional<Straggler> judge(const std::vector<Last>& lasts,
                               std::uint64_t stride, const Stretch& stretch) {
  const auto rank = mostWaitedFor(lasts, stretch, kOfAllWaiting);
  if (!rank || !isPersistent(lasts, stretch, *rank)) return std::nullopt;
  Straggler straggler;
  straggler.rank = *rank;
  straggler.where = stretch;
  std::vector<std::int64_t> noticeable;
  for (std::size_t i = stretch.begin; i < stretch.end; ++i) {
    if (lasts[i].rank != *rank) continue;
    straggler.waited_ns += lasts[i].lateness_ns;
    if (lasts[i].lateness_ns >= kNoticeableNs) {
      noticeable.push_back(lasts[i].lateness_ns);
    }
  }
  straggler.times = noticeable.size();
  // As much as that in those that were not timed.
  straggler.waited_ns *= static_cast<std::int64_t>(stride);
  straggler.span_ns = lasts[stretch.end - 1].at_ns - lasts[stretch.begin].at_ns;
  const bool material = static_cast<double>(straggler.waited_ns) >=
                        kOfTheTime * static_cast<double>(straggler.span_ns);
  if (!material || straggler.times < kLeastTimes ||
      straggler.span_ns < kLeastSpanNs) {
    return std::nullopt;
  }
  straggler.median_ns = medianOf(std::move(noticeable));
  return straggler;
}

// The same since it began: where the rank is noticeably last, and in half of
// what comes next.
Straggler sinceItBegan(const std::vector<Last>& lasts, std::uint64_t stride,
                       const Straggler& known) {
  const std::size_t end = known.where.end;
  const auto isLate = [&](const Last& last) {
    return last.rank == known.rank && last.lateness_ns >= kNoticeableNs;
  };
  std::size_t tries = 0;
  for (std::size_t i = 0; i + kLeast <= end && tries < kParts; ++i) {
    if (!isLate(lasts[i])) continue;
    const auto begin = lasts.begin() + static_cast<std::ptrdiff_t>(i);
    const auto late = std::count_if(begin, begin + kLeastTimes, isLate);
    if (late < static_cast<std::ptrdiff_t>(kLeastTimes / 2)) continue;
    ++tries;
    const auto straggler = judge(lasts, stride, {i, end});
    if (straggler && straggler->rank == known.rank) return *straggler;
  }
  return known;
}

// Over the whole run, or from some point on to its end.
std::optional<Straggler> findStraggler(const std::vector<Last>& lasts,
                                       std::uint64_t stride) {
  if (lasts.size() < kLeast) return std::nullopt;
  if (const auto straggler = judge(lasts, stride, {0, lasts.size()})) {
    return sinceItBegan(lasts, stride, *straggler);
  }
  for (std::size_t part = 1; part < kParts; ++part) {
    const std::size_t begin = lasts.size() * part / kParts;
    if (lasts.size() - begin < kLeast) break;
    if (const auto straggler = judge(lasts, stride, {begin, lasts.size()})) {
      return sinceItBegan(lasts, stride, *straggler);
    }
  }
  return std::nullopt;
}

void doubtAbsent(const JobState& job, JobVerdict& verdict) {
  const std::vector<std::uint32_t> absent = job.membersOf(verdict.group).absent;
  if (absent.empty()) return;
  verdict.confidence = Confidence::kLikely;
  verdict.evidence.push_back(
      absl::StrCat("No trace of ", ranksText(absent), "."));
}

JobVerdict tellStraggler(const JobState& job, std::uint32_t group,
                         const std::vector<Last>& lasts,
                         const Straggler& straggler) {
  JobVerdict verdict;
  verdict.kind = VerdictKind::kStraggler;
  verdict.ranks = verdict.culprits = {straggler.rank};
  verdict.group = group;
  verdict.since_ns = lasts[straggler.where.begin].at_ns;
  verdict.since_seq = lasts[straggler.where.begin].seq;
  doubtAbsent(job, verdict);
  const std::size_t count = straggler.where.end - straggler.where.begin;
  const std::string& label = job.catalog.label(group);
  verdict.summary = absl::StrCat(
      "Rank ", straggler.rank, " keeps the others of \"", label, "\" waiting.");
  verdict.evidence.push_back(
      absl::StrCat("It came last, by ", secondsText(straggler.median_ns),
                   " (median), to ", straggler.times, " of ", count,
                   " collectives from #", lasts[straggler.where.begin].seq,
                   " to #", lasts[straggler.where.end - 1].seq, "."));
  verdict.evidence.push_back(absl::StrFormat(
      "That is %.0f %% of the time between them.",
      100.0 * static_cast<double>(straggler.waited_ns) /
          static_cast<double>(std::max<std::int64_t>(straggler.span_ns, 1))));
  verdict.evidence.push_back(
      "All its members read one clock, so the figures are exact.");
  verdict.advice.push_back(absl::StrCat(
      "what rank ", straggler.rank,
      " computes before these calls: its data, its processor, its host"));
  return verdict;
}

// One time that stands out from all others.
std::optional<Last> findLate(const std::vector<Last>& lasts,
                             const DiagnosisOptions& options) {
  if (lasts.empty()) return std::nullopt;
  std::vector<std::int64_t> lateness;
  for (const Last& last : lasts) lateness.push_back(last.lateness_ns);
  const std::int64_t usual = medianOf(std::move(lateness));
  const Last& most = *std::max_element(lasts.begin(), lasts.end(),
                                       [](const Last& a, const Last& b) {
                                         return a.lateness_ns < b.lateness_ns;
                                       });
  const bool stands_out = most.lateness_ns >= options.late_after_ns &&
                          most.lateness_ns / 10 >= usual;
  return stands_out ? std::optional(most) : std::nullopt;
}

JobVerdict tellLate(const JobState& job, std::uint32_t group,
                    const Last& late) {
  JobVerdict verdict;
  verdict.kind = VerdictKind::kLate;
  verdict.ranks = verdict.culprits = {late.rank};
  verdict.group = group;
  verdict.seq = late.seq;
  const CollectiveTable& table = job.groups[group].collectives;
  const std::uint32_t signature = table.signatureOf(late.seq);
  if (signature != CollectiveTable::kNoSignature) {
    verdict.op = nameOf(job.signatures.at(signature).op);
  }
  verdict.since_ns = late.at_ns - late.lateness_ns;
  doubtAbsent(job, verdict);
  verdict.summary = absl::StrCat(
      "Rank ", late.rank, " came ", secondsText(late.lateness_ns), " late to ",
      verdict.op, " ", placeText(job, group, late.seq), ".");
  verdict.evidence.push_back(
      "That is more than ten times what the last rank usually takes.");
  verdict.advice.push_back(
      absl::StrCat("what rank ", late.rank, " did before this call"));
  return verdict;
}

}  // namespace

std::vector<JobVerdict> findTimingVerdicts(const JobState& job,
                                           const DiagnosisOptions& options) {
  std::vector<JobVerdict> verdicts;
  for (std::uint32_t group = 0; group < job.groups.size(); ++group) {
    // Whose trace is not there may have been later still: of a few that can be
    // doubted, with many of them nobody is known to have kept the others
    // waiting.
    if (!job.mostArePresent(group)) continue;
    const std::vector<Last> lasts =
        lastOnes(job, group, job.groups[group].timings);
    if (const auto straggler = findStraggler(lasts, job.stride)) {
      verdicts.push_back(tellStraggler(job, group, lasts, *straggler));
    } else if (const auto late = findLate(lasts, options)) {
      verdicts.push_back(tellLate(job, group, *late));
    }
  }
  return verdicts;
}

}  // namespace traced
