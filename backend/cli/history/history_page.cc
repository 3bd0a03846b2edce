#include "absl/strings/str_cat.h"
#include "cli/history/history_output.h"
#include "cli/history/history_plots.h"
#include "cli/report/html/html_text.h"
#include "cli/report/html/page_head.h"
#include "cli/report/html/page_parts.h"

namespace traced {
namespace {

const std::string& asItIs(const std::string& text) { return text; }

std::string listHtml(const std::vector<std::string>& sentences,
                     const char* kind) {
  if (sentences.empty()) return "";
  std::string html = absl::StrCat("<ul class=", kind, ">");
  for (const std::string& sentence : sentences) {
    absl::StrAppend(&html, "<li>", htmlText(sentence), "</li>\n");
  }
  return html + "</ul>\n";
}

std::string headerOfHistory(const HistoryOutput& output) {
  constexpr std::size_t kMostFindingsOfPage = 50;
  std::vector<std::string> findings = historyFindings(output, asItIs);
  if (findings.size() > kMostFindingsOfPage) {
    findings.resize(kMostFindingsOfPage);
  }
  std::vector<std::string> unknown = output.verdict.not_measured;
  for (const auto* more : {&output.verdict.notes, &output.history.warnings}) {
    unknown.insert(unknown.end(), more->begin(), more->end());
  }
  const std::string power = historyPower(output, asItIs);
  return absl::StrCat(
      "<header><p class=run>", htmlText(output.file), ": ",
      htmlText(historyHeading(output)),
      "</p><h1 class=", output.verdict.hasRegression() ? "bad" : "good", ">",
      htmlText(historySentence(output, asItIs)), "</h1>\n",
      listHtml(findings, "findings"), "<p class=note>", htmlText(power),
      "</p>\n", listHtml(unknown, "unknown"), "</header>\n");
}

Json pageRuns(const HistoryOutput& output) {
  Json runs = Json::array();
  for (const std::uint32_t run : output.verdict.runs) {
    const HistoryRun& of = output.history.runs[run];
    runs.push_back({of.label, dateText(of)});
  }
  return runs;
}

}  // namespace

void writeHistoryPage(std::ostream& out, const HistoryOutput& output) {
  Json data = historyPlots(output);
  data["runs"] = pageRuns(output);
  out << pageHead(output.file + " - communication over time", kHistoryPage)
      << headerOfHistory(output)
      << "<main><section><h2>Series</h2><p>A value per run, in the order in "
         "which they started. A line stands where a series changed, and means "
         "are drawn between these.</p><div data-view=plots></div></section>"
         "</main>\n"
      << pageScript(data, kHistoryPage) << "</body></html>\n";
}

}  // namespace traced
