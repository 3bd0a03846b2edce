#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "analysis/diagnosis/words.h"
#include "cli/diagnose_output.h"
#include "cli/heading.h"
#include "cli/text.h"

namespace traced {
namespace {

// "ORDER MISMATCH on group "dp". Look at rank 5."
std::string titleOf(const JobState& job, const JobVerdict& verdict,
                    bool stock_names) {
  std::string text = absl::AsciiStrToUpper(
      absl::StrReplaceAll(nameOf(verdict.kind), {{"_", " "}}));
  if (stock_names) {
    absl::StrAppend(&text, " (", stockNameOf(verdict.kind), ")");
  }
  if (verdict.group != GroupCatalog::kNone) {
    absl::StrAppend(&text, " on group \"", job.catalog.label(verdict.group),
                    "\"");
  }
  absl::StrAppend(&text, ".");
  if (!verdict.culprits.empty()) {
    absl::StrAppend(&text, " Look at ", ranksText(verdict.culprits), ".");
  }
  return text;
}

std::string confidenceText(const JobVerdict& verdict) {
  switch (verdict.confidence) {
    case Confidence::kCertain:
      return "Certain: the records imply it.";
    case Confidence::kLikely:
      return "Likely: not every trace shows its rank's last moments.";
    case Confidence::kUndecided:
      return "It cannot be known from these traces.";
  }
  return "";
}

std::string verdictText(const JobState& job, const JobVerdict& verdict,
                        bool stock_names) {
  std::string text = titleOf(job, verdict, stock_names) + "\n\n";
  absl::StrAppend(&text, "  ", verdict.summary, "\n");
  for (const std::string& sentence : verdict.evidence) {
    absl::StrAppend(&text, "  - ", sentence, "\n");
  }
  absl::StrAppend(&text, "  ", confidenceText(verdict), "\n");
  for (const std::string& what : verdict.advice) {
    absl::StrAppend(&text, "  Next: ", what, ".\n");
  }
  return text;
}

// Safe for a terminal, line by line.
std::string printableLines(const std::string& text) {
  std::string safe;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = text.find('\n', begin);
    absl::StrAppend(&safe, printable(text.substr(begin, end - begin)), "\n");
    begin = end + 1;
  }
  return safe;
}

std::string healthyText(const Diagnosis& diagnosis, bool stock_names) {
  std::string text = "Nothing found";
  if (stock_names) absl::StrAppend(&text, " (", kStockHealthy, ")");
  absl::StrAppend(&text,
                  ": the ranks agree on every operation that their traces "
                  "hold, and none stands still.\n");
  if (diagnosis.under_way > 0) {
    absl::StrAppend(&text, countOf(diagnosis.under_way, "operation"),
                    " had not ended when the traces did, too young to be "
                    "judged.\n");
  }
  return text;
}

}  // namespace

std::string diagnoseText(const std::string& title, const TraceSet& set,
                         const Diagnosis& diagnosis,
                         const DiagnoseTextOptions& options) {
  const JobState& job = diagnosis.job;
  const std::string heading = headingText(title, set, job.summary);
  if (diagnosis.verdicts.empty()) {
    return healthyText(diagnosis, options.stock_names) + "\n" + heading;
  }
  std::string text;
  for (std::size_t i = 0;
       i < diagnosis.verdicts.size() && i < options.max_verdicts; ++i) {
    absl::StrAppend(&text,
                    printableLines(verdictText(job, diagnosis.verdicts[i],
                                               options.stock_names)),
                    "\n");
  }
  if (diagnosis.verdicts.size() > options.max_verdicts) {
    absl::StrAppend(&text,
                    countOf(diagnosis.verdicts.size() - options.max_verdicts,
                            "more verdict"),
                    "; --all shows them.\n\n");
  }
  absl::StrAppend(&text, whereTable(diagnosis, options.max_ranks), "\n",
                  heading);
  return text;
}

}  // namespace traced
