#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/common/heading.h"
#include "cli/common/next_commands.h"
#include "cli/common/terminal.h"
#include "cli/diagnose/diagnose_output.h"
#include "phrasing/diagnosis_text.h"
#include "phrasing/text.h"
#include "phrasing/verdict_text.h"

namespace traced {
namespace {

constexpr std::size_t kMaxEvidence = 6;
constexpr std::size_t kMaxLines = 8;

// Returns a sentence as a bullet, safe for a terminal and wrapped to `columns`.
std::string bullet(const std::string& sentence, std::size_t columns) {
  return wrapped("  - ", printable(sentence), columns);
}

std::string verdictText(const JobState& job, const JobVerdict& verdict,
                        const DiagnoseTextOptions& options) {
  std::vector<std::string> sentences = phrases(job, verdict.now);
  const std::vector<std::string> evidence = phrases(job, verdict.reasons);
  sentences.insert(sentences.end(), evidence.begin(), evidence.end());
  const std::size_t most = options.all ? sentences.size() : kMaxEvidence;
  std::string text;
  for (std::size_t i = 0; i < sentences.size() && i < most; ++i) {
    absl::StrAppend(&text, bullet(sentences[i], options.columns));
  }
  if (sentences.size() > most) {
    absl::StrAppend(&text, "  - ", sentences.size() - most,
                    " more; --all shows them\n");
  }
  if (verdict.consequence) {
    absl::StrAppend(&text,
                    bullet(consequenceOf(job, verdict), options.columns));
  }
  return text;
}

// Returns the first line of a verdict, with the stock analyzer's name for it if
// requested.
std::string headText(const JobState& job, const JobVerdict& verdict,
                     const DiagnoseTextOptions& options) {
  const std::string stock =
      options.stock_names
          ? absl::StrCat(" [", traitsOf(verdict.kind).stock_name, "]")
          : "";
  return wrapped("", printable(headlineOf(job, verdict)) + stock,
                 options.columns);
}

// Commands are not wrapped, so that they can be pasted.
std::string nextText(const DiagnoseTextOptions& options, const JobState& job,
                     const JobVerdict& verdict) {
  std::string text;
  for (const std::string& what : phrases(job, verdict.advice)) {
    absl::StrAppend(
        &text, wrapped("  Next: ", printable(what) + ".", options.columns));
  }
  const std::vector<std::string> commands =
      nextCommands(options.inputs, job, verdict);
  for (const std::string& command : commands) {
    absl::StrAppend(&text, "    ", printable(command), "\n");
  }
  if (!commands.empty() && !options.inputs_note.empty()) {
    absl::StrAppend(&text,
                    wrapped("    ", options.inputs_note, options.columns));
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
    return nothingText(diagnosis, options.stock_names ? kStockHealthy : "") +
           standingLines(job, 1, options.max_ranks, options.columns) + "\n" +
           heading;
  }
  const JobVerdict& first = diagnosis.verdicts.front();
  const std::string head = headText(job, first, options);
  std::string text = absl::StrCat(red(head, options.colours), "\n",
                                  verdictText(job, first, options),
                                  nextText(options, job, first), "\n");
  for (std::size_t i = 1; i < diagnosis.verdicts.size(); ++i) {
    const JobVerdict& verdict = diagnosis.verdicts[i];
    if (i == options.max_verdicts) {
      absl::StrAppend(&text,
                      countOf(diagnosis.verdicts.size() - i, "more verdict"),
                      "; --all shows them\n");
      break;
    }
    absl::StrAppend(&text, i == 1 ? "Also:\n" : "",
                    headText(job, verdict, options));
    if (!options.all) continue;
    absl::StrAppend(&text, "\n", verdictText(job, verdict, options),
                    nextText(options, job, verdict), "\n");
  }
  if (diagnosis.verdicts.size() > 1) absl::StrAppend(&text, "\n");
  const std::size_t ranks = options.all ? options.max_ranks : kMaxLines;
  absl::StrAppend(&text, whereTable(diagnosis, ranks, options.columns),
                  standingLines(job, 2, ranks, options.columns), "\n", heading);
  return text;
}

}  // namespace traced
