#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/common/heading.h"
#include "cli/report/html/page_sections.h"
#include "cli/report/report_output.h"
#include "phrasing/diagnosis_text.h"
#include "phrasing/text.h"
#include "phrasing/warnings.h"

namespace traced {
namespace {

void addLines(std::vector<std::string>& sentences, const std::string& text) {
  for (const auto line : absl::StrSplit(text, '\n', absl::SkipWhitespace())) {
    sentences.emplace_back(absl::StripAsciiWhitespace(line));
  }
}

void addPictures(std::vector<std::string>& sentences,
                 const Pictures& pictures) {
  if (pictures.waits.without_time > 0) {
    sentences.push_back(absl::StrCat(
        countOf(pictures.waits.without_time, "operation"),
        " have no known time, so the chart of who kept whom waiting lacks "
        "them."));
  }
  if (pictures.links.left_out > 0) {
    sentences.push_back(
        absl::StrCat(countOf(pictures.links.left_out, "all-to-all"),
                     ": the bytes that each pair of ranks exchanged are "
                     "unknown."));
  }
}

}  // namespace

std::vector<std::string> unknownSentences(const PageInput& input) {
  const Report& report = input.report;
  std::vector<std::string> sentences = allWarnings(input.set, report.summary);
  for (std::string& each : unknownTexts(input.diagnosis)) {
    sentences.push_back(std::move(each));
  }
  addLines(sentences, clocksText(report));
  addLines(sentences, notesText(report));
  addLines(sentences, deviceTimesText(report.summary.deviceTimes()));
  const std::uint64_t not_split = report.all.split.withheld;
  if (not_split > 0) {
    sentences.push_back(absl::StrCat(
        countOf(not_split, "operation"), " of ", groupedText(report.all.calls),
        ": how much was waiting and how much was transfer is "
        "unknown."));
  }
  if (!report.window.all()) {
    sentences.push_back(
        "Verdicts cover the whole run, numbers only the selected part.");
  }
  addPictures(sentences, *report.pictures);
  constexpr std::size_t kMax = 200;
  if (sentences.size() > kMax) {
    const std::size_t more = sentences.size() - kMax;
    sentences.resize(kMax);
    sentences.push_back(
        absl::StrCat(more, " more such sentences are not shown."));
  }
  if (sentences.empty()) {
    sentences.push_back("Nothing is known to be missing.");
  }
  return sentences;
}

}  // namespace traced
