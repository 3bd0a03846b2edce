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

// What makes a rank a straggler: in a stretch of at least kLeast collectives it
// is the last one of nearly all, and what the others wait for it is a good part
// of the stretch.
constexpr std::size_t kLeast = 12;
constexpr std::size_t kWindows = 8;
constexpr double kMostlyLast = 0.8;
constexpr double kMaterial = 0.1;
constexpr std::int64_t kNoticeableNs = 1'000'000;

// Who came last to a collective, and how long the median rank waited for it.
struct Last {
  std::uint64_t seq = 0;
  std::uint32_t rank = 0;
  std::int64_t at_ns = 0;
  std::int64_t lateness_ns = 0;
};

// Of the collectives that all members joined. Empty when hosts differ in their
// clocks: what cannot be certified is withheld.
std::vector<Last> lastOnes(const JobState& job, std::uint32_t group,
                           Arrivals arrivals) {
  std::vector<Last> lasts;
  const std::uint32_t size = job.catalog.groups()[group].members.size();
  std::optional<std::uint32_t> clock;
  for (const MemberProgress& member :
       job.groups[group].collectives.members()) {
    const std::uint32_t own = job.rank(member.rank)->clock;
    if (clock && *clock != own) return lasts;
    clock = own;
  }
  std::sort(arrivals.begin(), arrivals.end(),
            [](const Arrival& a, const Arrival& b) {
              return a.seq != b.seq ? a.seq < b.seq : a.ready_ns < b.ready_ns;
            });
  for (std::size_t i = 0; i < arrivals.size();) {
    std::size_t end = i;
    while (end < arrivals.size() && arrivals[end].seq == arrivals[i].seq) ++end;
    // The first operation of a group waits for processes that start.
    if (end - i == size && size > 1 && arrivals[i].seq > 1) {
      const Arrival& last = arrivals[end - 1];
      const Arrival& median = arrivals[i + (size - 1) / 2];
      lasts.push_back({last.seq, last.rank, last.ready_ns,
                       last.ready_ns - median.ready_ns});
    }
    i = end;
  }
  return lasts;
}

struct Stretch {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct Straggler {
  std::uint32_t rank = 0;
  Stretch where;
  std::size_t last = 0;
  std::int64_t waited_ns = 0;
  std::int64_t span_ns = 0;
  std::int64_t median_ns = 0;
};

std::optional<Straggler> judge(const std::vector<Last>& lasts,
                               const Stretch& stretch) {
  absl::flat_hash_map<std::uint32_t, std::size_t> times;
  for (std::size_t i = stretch.begin; i < stretch.end; ++i) {
    ++times[lasts[i].rank];
  }
  const auto most = std::max_element(
      times.begin(), times.end(),
      [](const auto& a, const auto& b) { return a.second < b.second; });
  const std::size_t count = stretch.end - stretch.begin;
  if (static_cast<double>(most->second) <
      kMostlyLast * static_cast<double>(count)) {
    return std::nullopt;
  }
  Straggler straggler{most->first, stretch, most->second, 0, 0, 0};
  std::vector<std::int64_t> lateness;
  for (std::size_t i = stretch.begin; i < stretch.end; ++i) {
    if (lasts[i].rank != most->first) continue;
    lateness.push_back(lasts[i].lateness_ns);
    straggler.waited_ns += lasts[i].lateness_ns;
  }
  straggler.span_ns =
      lasts[stretch.end - 1].at_ns - lasts[stretch.begin].at_ns;
  std::nth_element(lateness.begin(),
                   lateness.begin() +
                       static_cast<std::ptrdiff_t>(lateness.size() / 2),
                   lateness.end());
  straggler.median_ns = lateness[lateness.size() / 2];
  const bool material = static_cast<double>(straggler.waited_ns) >=
                        kMaterial * static_cast<double>(straggler.span_ns);
  if (!material || straggler.median_ns < kNoticeableNs) return std::nullopt;
  return straggler;
}

// The whole run first; then its parts, for what began or ended meanwhile.
std::optional<Straggler> findStraggler(const std::vector<Last>& lasts) {
  if (lasts.size() < kLeast) return std::nullopt;
  if (auto straggler = judge(lasts, {0, lasts.size()})) return straggler;
  // From a point on to the end, then windows in between.
  for (std::size_t part = 1; part < kWindows; ++part) {
    const std::size_t begin = lasts.size() * part / kWindows;
    if (lasts.size() - begin < kLeast) break;
    if (auto straggler = judge(lasts, {begin, lasts.size()})) return straggler;
  }
  const std::size_t width = std::max(2 * kLeast, lasts.size() / kWindows);
  for (std::size_t begin = 0; begin + width <= lasts.size(); begin += width) {
    if (auto straggler = judge(lasts, {begin, begin + width})) {
      return straggler;
    }
  }
  return std::nullopt;
}

Verdict tellStraggler(const JobState& job, std::uint32_t group,
                      const std::vector<Last>& lasts,
                      const Straggler& straggler) {
  Verdict verdict;
  verdict.kind = VerdictKind::kStraggler;
  verdict.ranks = verdict.culprits = {straggler.rank};
  verdict.group = group;
  verdict.since_ns = lasts[straggler.where.begin].at_ns;
  const std::size_t count = straggler.where.end - straggler.where.begin;
  const std::string& label = job.catalog.label(group);
  verdict.summary = absl::StrCat("Rank ", straggler.rank,
                                 " keeps the others of \"", label,
                                 "\" waiting.");
  verdict.evidence.push_back(absl::StrCat(
      "It came last to ", straggler.last, " of ", count, " collectives (#",
      lasts[straggler.where.begin].seq, " to #",
      lasts[straggler.where.end - 1].seq, "), by ",
      secondsText(straggler.median_ns), " (median)."));
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
  std::nth_element(lateness.begin(),
                   lateness.begin() +
                       static_cast<std::ptrdiff_t>(lateness.size() / 2),
                   lateness.end());
  const std::int64_t usual = lateness[lateness.size() / 2];
  const Last& most = *std::max_element(
      lasts.begin(), lasts.end(), [](const Last& a, const Last& b) {
        return a.lateness_ns < b.lateness_ns;
      });
  const bool stands_out = most.lateness_ns >= options.late_after_ns &&
                          most.lateness_ns / 10 >= usual;
  return stands_out ? std::optional(most) : std::nullopt;
}

Verdict tellLate(const JobState& job, std::uint32_t group, const Last& late) {
  Verdict verdict;
  verdict.kind = VerdictKind::kLate;
  verdict.ranks = verdict.culprits = {late.rank};
  verdict.group = group;
  verdict.seq = late.seq;
  const CollectiveTable& table = job.groups[group].collectives;
  if (const Collective* collective = table.find(late.seq)) {
    verdict.op = nameOf(job.signatures.at(collective->signature).op);
  }
  verdict.since_ns = late.at_ns - late.lateness_ns;
  verdict.summary = absl::StrCat(
      "Rank ", late.rank, " came ", secondsText(late.lateness_ns),
      " late to ", verdict.op, " ", placeText(job, group, late.seq), ".");
  verdict.evidence.push_back(
      "That is more than ten times what the last rank usually takes.");
  verdict.advice.push_back(
      absl::StrCat("what rank ", late.rank, " did before this call"));
  return verdict;
}

}  // namespace

std::vector<Verdict> findTimingVerdicts(const JobState& job,
                                        const DiagnosisOptions& options) {
  std::vector<Verdict> verdicts;
  for (std::uint32_t group = 0; group < job.groups.size(); ++group) {
    const std::vector<Last> lasts =
        lastOnes(job, group, job.groups[group].arrivals);
    if (const auto straggler = findStraggler(lasts)) {
      verdicts.push_back(tellStraggler(job, group, lasts, *straggler));
    }
    if (const auto late = findLate(lasts, options)) {
      verdicts.push_back(tellLate(job, group, *late));
    }
  }
  return verdicts;
}

}  // namespace traced
