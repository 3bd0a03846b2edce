#include "absl/strings/str_cat.h"
#include "analysis/diagnosis/standstill/group_rules.h"
#include "analysis/diagnosis/standstill/missing_ranks.h"
#include "analysis/diagnosis/telling/words.h"

namespace traced {
namespace {

constexpr std::size_t kMostStopsTold = 3;
// A watchdog tells of ends some tenths of a second late. What it has not told
// of for that long was under way.
constexpr std::int64_t kSurelyToldNs = 1'000'000'000;

std::string stopText(const GroupStanding& standing, std::uint32_t rank,
                     const GroupStop& stop) {
  const OperationRef* ref =
      standing.knowledge.refAtOrBehind(rank, standing.group, standing.seq);
  const bool it = ref && ref->seq == standing.seq;
  const std::string after =
      ref ? absl::StrCat(", ", it ? "" : "more than ",
                         secondsText(stop.at_ns - ref->at_ns),
                         " after it had issued it")
          : "";
  if (!stop.gave_up) {
    return absl::StrCat("Rank ", rank, " aborted the group", after, ".");
  }
  return absl::StrCat("The engine of rank ", rank, " gave up", after,
                      stop.why.empty() ? "" : absl::StrCat(": ", stop.why),
                      ".");
}

// Whether what a rank raised or how it died is the better thing to say.
bool someMissingFailed(const GroupStanding& standing) {
  for (const std::uint32_t rank : standing.missing) {
    if (standing.job().rank(rank)->end.failed()) return true;
  }
  return false;
}

}  // namespace

void tellStops(const GroupStanding& standing, JobVerdict& verdict) {
  std::size_t told = 0;
  for (const std::uint32_t rank : standing.joined()) {
    const GroupStop* stop = standing.stopOn(rank);
    if (!stop) continue;
    if (++told > kMostStopsTold) return;
    verdict.evidence.push_back(stopText(standing, rank, *stop));
  }
}

std::optional<JobVerdict> judgeAborted(const GroupStanding& standing) {
  if (someMissingFailed(standing)) return std::nullopt;
  const MissingRanks missing(standing);
  const bool by_missing = !missing.sure.empty();
  if (!by_missing && standing.longest_ns < kSurelyToldNs) return std::nullopt;
  JobVerdict verdict;
  verdict.kind = VerdictKind::kAborted;
  verdict.finding = by_missing && standing.needsAll() ? missing.confidence
                                                      : Confidence::kLikely;
  verdict.culprit = Confidence::kUndecided;
  verdict.ranks = standing.inside;
  verdict.group = standing.group;
  verdict.seq = standing.seq;
  verdict.op = standing.op();
  verdict.since_ns = standing.since_ns;
  verdict.summary = absl::StrCat(
      "\"", standing.job().catalog.label(standing.group), "\" was aborted on ",
      ranksText(standing.inside), " while ", standing.what(),
      " was under way there",
      by_missing
          ? absl::StrCat("; ", ranksText(missing.sure), " had not joined it.")
          : ".");
  for (std::size_t i = 0; i < missing.sure.size() && i < kMostStopsTold; ++i) {
    verdict.now.push_back(standing.knowledge.insteadText(missing.sure[i]));
  }
  tellLost(standing, missing.doubtful, verdict);
  tellStops(standing, verdict);
  verdict.evidence.push_back(
      "Whether it would have ended is not known: it was cut off before it had "
      "stood still for long.");
  tellAbsent(standing, verdict);
  verdict.advice.push_back(
      absl::StrCat("why the program aborted the group: "
                   "the log of ",
                   ranksText(standing.inside)));
  return verdict;
}

}  // namespace traced
