#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cli/common/heading.h"
#include "cli/common/text.h"
#include "cli/report/html/page_sections.h"
#include "cli/report/report_output.h"
#include "phrasing/verdict_text.h"

namespace traced {
namespace {

void addLines(std::vector<std::string>& sentences, const std::string& text) {
  for (const auto line : absl::StrSplit(text, '\n', absl::SkipWhitespace())) {
    sentences.emplace_back(absl::StripAsciiWhitespace(line));
  }
}

void addDiagnosis(std::vector<std::string>& sentences,
                  const Diagnosis& diagnosis) {
  for (const JobVerdict& verdict : diagnosis.verdicts) {
    if (verdict.kind == VerdictKind::kUndecided) {
      sentences.push_back(
          absl::StrCat("Undecided: ", summaryOf(diagnosis.job, verdict)));
    }
  }
  if (!diagnosis.howEndedUnknown().empty()) {
    sentences.push_back(absl::StrCat("How ",
                                     ranksText(diagnosis.howEndedUnknown()),
                                     " ended is not known."));
  }
  if (diagnosis.under_way > 0) {
    sentences.push_back(
        absl::StrCat(countOf(diagnosis.under_way, "operation"),
                     " had not ended when the trace did, too young to be "
                     "judged."));
  }
  if (!diagnosis.rules_left_out.empty()) {
    sentences.push_back(
        absl::StrCat("Rules that need what these sources do not tell: ",
                     absl::StrJoin(diagnosis.rules_left_out, ", "), "."));
  }
}

void addPictures(std::vector<std::string>& sentences,
                 const Pictures& pictures) {
  if (pictures.waits.without_time > 0) {
    sentences.push_back(absl::StrCat(
        countOf(pictures.waits.without_time, "operation"),
        " have no certain place on the time line, and none in the picture of "
        "who kept whom waiting."));
  }
  if (pictures.links.left_out > 0) {
    sentences.push_back(
        absl::StrCat(countOf(pictures.links.left_out, "all-to-all"),
                     " of which it is not known who was sent how much."));
  }
}

}  // namespace

std::vector<std::string> unknownSentences(const PageInput& input) {
  const Report& report = input.report;
  std::vector<std::string> sentences = allWarnings(input.set, report.summary);
  addDiagnosis(sentences, input.diagnosis);
  addLines(sentences, clocksText(report));
  addLines(sentences, notesText(report));
  addLines(sentences, deviceTimesText(report.summary.deviceTimes()));
  const std::uint64_t not_split = report.all.split.withheld;
  if (not_split > 0) {
    sentences.push_back(
        absl::StrCat("Of ", countOf(not_split, "operation"), " in ",
                     groupedText(report.all.calls),
                     " it is not known how much was waiting for peers and how "
                     "much transfer."));
  }
  if (!report.window.all()) {
    sentences.push_back(
        "The verdicts are about the whole run, the numbers about a window.");
  }
  addPictures(sentences, *report.pictures);
  constexpr std::size_t kMost = 200;
  if (sentences.size() > kMost) {
    const std::size_t more = sentences.size() - kMost;
    sentences.resize(kMost);
    sentences.push_back(
        absl::StrCat(more, " more such sentences are left out here."));
  }
  if (sentences.empty()) {
    sentences.push_back("Nothing is known to be missing.");
  }
  return sentences;
}

}  // namespace traced
