#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/report/report_output.h"
#include "phrasing/text.h"

namespace traced {
namespace {

// Percentages are printed with one decimal.
constexpr double kShown = 0.0005;

// Returns the parts of communication, such as "9.1 % transfer".
std::vector<std::string> partsOf(const Report& report) {
  const TimeBreakdown& time = report.time;
  std::vector<std::string> parts;
  const auto add = [&](std::uint64_t ns, const char* what,
                       const char* limit = "") {
    const double part = static_cast<double>(ns) /
                        static_cast<double>(report.summary.rankTimeNs());
    if (part < kShown) return;
    parts.push_back(absl::StrCat(limit, percentText(part), " ", what));
  };
  if (!time.isDivided()) {
    add(time.exposed_wait_for_peers_ns + time.exposed_transfer_ns,
        "waiting for the slowest rank or for the transfer (the clocks do not "
        "show which)");
  } else {
    add(time.exposed_wait_for_peers_ns, "waiting for the slowest rank");
    add(time.exposed_transfer_ns, "waiting for the transfer");
  }
  add(time.undecided_ns, "in waits of unknown reason");
  add(time.calls_ns, "in calls");
  if (report.isBounded()) {
    add(time.may_wait_ns, "in waits that are not recorded", "at most ");
  }
  return parts;
}

// Returns why the share is a range; "" if it is not.
std::string unknownText(const Report& report) {
  const CallTotals& all = report.all;
  if (all.waits_unknown == 0) {
    return report.isBounded() && report.time.may_wait_ns > 0
               ? " Part of the run was not recorded."
               : "";
  }
  std::string text = absl::StrCat(
      " ", groupedText(all.waits_unknown), " of ", groupedText(all.calls),
      " operations ", all.waits_unknown == 1 ? "has" : "have",
      " no recorded wait, so the exact share is unknown: the program may have "
      "waited through a future or a stream.");
  if (report.isBounded() && report.estimated_wait_ns) {
    const std::uint64_t ns =
        report.time.blockedNs() + *report.estimated_wait_ns;
    absl::StrAppend(
        &text,
        " If the program waits only at the end of each step, as DDP with "
        "one backward pass does, it is about ",
        percentText(static_cast<double>(ns) /
                    static_cast<double>(report.summary.rankTimeNs())),
        ".");
  }
  return text;
}

}  // namespace

std::string communicationText(const Report& report) {
  if (report.summary.fromDumps()) {
    return "Communication: unknown share of the run. Dumps record neither "
           "returns nor waits.\n";
  }
  const std::uint64_t run_ns = report.summary.rankTimeNs();
  if (run_ns == 0) return "";
  const CallTotals& all = report.all;
  const std::string share =
      report.isBounded()
          ? percentRange(all.shareOf(run_ns), all.mostOf(run_ns), " to ")
          : "at least " + percentText(all.shareOf(run_ns));
  const std::vector<std::string> parts = partsOf(report);
  std::string text =
      absl::StrCat("Communication: ", share, " of the run",
                   parts.empty() ? "" : ": ", absl::StrJoin(parts, ", "), ".");
  const double hidden =
      static_cast<double>(report.time.hidden_ns) / static_cast<double>(run_ns);
  // Operations out of scope count as computing, which may be waiting for them.
  if (hidden >= kShown && report.scope == ReportedScope::kAll) {
    absl::StrAppend(&text, " Another ", percentText(hidden),
                    " was hidden behind computing.");
  }
  return absl::StrCat(text, unknownText(report), "\n");
}

namespace {

const char* wordsFor(StepPart part) {
  switch (part) {
    case StepPart::kComputing:
      return "more computing";
    case StepPart::kWaitForPeers:
      return "more waiting for the slowest rank";
    case StepPart::kTransfer:
      return "more waiting for the transfer";
    case StepPart::kUndecided:
      return "more in waits of unknown reason";
    case StepPart::kCalls:
      return "more in calls";
    case StepPart::kMayWait:
      break;
  }
  return "more that is not recorded";
}

}  // namespace

std::string stepsText(const Report& report) {
  const auto steps =
      report.steps ? summarizeSteps(*report.steps) : std::nullopt;
  if (!steps || report.scope != ReportedScope::kAll) return "";
  std::string text =
      absl::StrCat("Steps: ", countOf(steps->steps, "step"), " took ",
                   durationText(steps->p50_ns), " (p50) and ",
                   durationText(steps->p99_ns), " (p99).");
  const char* before = " Slowest: ";
  for (const StepSummary::Slow& slow : steps->slowest) {
    absl::StrAppend(&text, before, "step ", slow.step, " with ",
                    durationText(slow.took_ns));
    if (slow.more_ns > 0) {
      absl::StrAppend(&text, " (", durationText(slow.more_ns), " ",
                      wordsFor(slow.part), " than the median step)");
    }
    before = "; ";
  }
  if (!steps->slowest.empty()) text += ".";
  if (steps->stalls > 1) {
    absl::StrAppend(&text, " In ", countOf(steps->stalls, "step"),
                    " all ranks computed longer than usual at once: ",
                    durationText(steps->stalled_ns),
                    " in all, as for loading data or a checkpoint.");
  }
  return text + "\n";
}

std::string outsideText(const RunSummary& summary) {
  const std::uint64_t before_ns = summary.longestStartUpNs();
  const std::uint64_t after_ns = summary.longestTearDownNs();
  if (summary.fromDumps() || summary.rankTimeNs() == 0) return "";
  return absl::StrCat("Outside these percentages: ", durationText(before_ns),
                      " before the first operation, ", durationText(after_ns),
                      " after the last (the longest of any rank).\n");
}

}  // namespace traced
