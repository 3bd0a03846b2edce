#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analysis/diagnosis/evidence/silence.h"
#include "cli/common/heading.h"
#include "cli/common/text.h"
#include "cli/diagnose/diagnose_output.h"
#include "phrasing/words.h"

namespace traced {
namespace {

std::string underWayText(const Diagnosis& diagnosis) {
  if (diagnosis.under_way == 0) return "";
  return absl::StrCat(countOf(diagnosis.under_way, "operation"),
                      " had not ended when the traces did, too young to be "
                      "judged.\n");
}

// Until when all ranks are known, from when the first began.
std::string knownText(const JobState& job) {
  std::int64_t first_ns = job.ranks.front().first_ns;
  std::int64_t known_ns = job.ranks.front().last_ns;
  for (const RankState& rank : job.ranks) {
    first_ns = std::min(first_ns, rank.first_ns);
    known_ns = std::min(known_ns, rank.last_ns);
  }
  return secondsText(std::max<std::int64_t>(known_ns - first_ns, 0));
}

// Nobody knows what these ranks did after that.
std::string endUnknownText(const Diagnosis& diagnosis) {
  const std::vector<std::uint32_t>& ranks = diagnosis.end_unknown;
  return absl::StrCat(
      "Not known: nothing is wrong in what was recorded, but the end of ",
      ranksText(ranks), " is not here.\n", "All ranks are known for the first ",
      knownText(diagnosis.job), " of the run. ", underWayText(diagnosis),
      "To decide: `tracectl diagnose` on the host of ", ranksText(ranks),
      ", where the rest may be in shared memory.\n");
}

// What ended these ranks is not recorded.
std::string endedUnclosedText(const Diagnosis& diagnosis) {
  const std::vector<std::uint32_t>& ranks = diagnosis.ended_unclosed;
  return absl::StrCat(
      "Not known: nothing is wrong in what was recorded, but ",
      ranksVerb(ranks, "ended without closing its trace: it was killed",
                "ended without closing their traces: they were killed"),
      ", or left without exit handlers.\n", underWayText(diagnosis),
      "To decide: the logs of the launcher, the scheduler and the kernel.\n");
}

bool anyRuns(const JobState& job) {
  return std::any_of(job.ranks.begin(), job.ranks.end(),
                     [](const RankState& rank) { return rank.running; });
}

bool allEnded(const JobState& job) {
  return std::all_of(job.ranks.begin(), job.ranks.end(),
                     [](const RankState& rank) { return rank.endKnown(); });
}

// Names the live ranks that are outside of operations and call none.
std::string silentText(const JobState& job) {
  const Silence silence = silenceOfLive(job);
  if (silence.ranks.empty()) return "";
  return absl::StrCat("Silent: ", ranksVerb(silence.ranks, "has ", "have "),
                      silenceText(silence),
                      ". No record shows whether they compute or hang, such as "
                      "in new_group(): py-spy dump shows it.\n");
}

}  // namespace

std::vector<std::string> usedGroupsOfOne(const JobState& job) {
  return groupsOfOne(job.catalog, [&job](std::uint32_t group) {
    return !job.groups[group].collectives.members().empty();
  });
}

std::string nothingText(const Diagnosis& diagnosis, bool stock_names) {
  if (!diagnosis.end_unknown.empty()) return endUnknownText(diagnosis);
  if (!diagnosis.ended_unclosed.empty()) return endedUnclosedText(diagnosis);
  const bool runs = anyRuns(diagnosis.job);
  std::string text = "Nothing found";
  if (runs) absl::StrAppend(&text, " up to now, the job still runs");
  if (stock_names) absl::StrAppend(&text, " (", kStockHealthy, ")");
  absl::StrAppend(
      &text, ": the ranks agree on every operation that their traces hold",
      allEnded(diagnosis.job) ? ", and all processes have ended" : "", ".\n",
      underWayText(diagnosis), silentText(diagnosis.job),
      groupsOfOneText(usedGroupsOfOne(diagnosis.job)));
  return text;
}

}  // namespace traced
