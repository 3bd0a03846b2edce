#include "absl/strings/str_cat.h"
#include "cli/common/markdown.h"
#include "cli/compare/change_words.h"
#include "cli/history/history_output.h"

namespace traced {

std::string historyMarkdown(const HistoryOutput& output) {
  MarkdownPage page;
  page.add(absl::StrCat("## Communication over time\n\n**",
                        historySentence(output, markdownCode), "**\n\n",
                        historyHeading(output), "\n\n"));
  for (const std::string& reason : output.verdict.not_measured) {
    page.add(absl::StrCat("- not measured: ", markdownCode(reason), "\n"));
  }
  for (const auto* notes : {&output.verdict.notes, &output.history.warnings}) {
    for (const std::string& note : *notes) {
      page.add(absl::StrCat("- ", markdownCode(note), "\n"));
    }
  }
  const std::vector<const JudgedSeries*> news = newsOf(output);
  if (!news.empty()) {
    page.add(
        "\n| what | of | before | after | change | since | verdict |\n"
        "|---|---|---:|---:|---:|---|---|\n");
  }
  for (const JudgedSeries* judged : news) {
    const RunPart part = judged->series.part;
    page.add(absl::StrCat(
        "| ", wordsOf(part), " | ",
        keyTextOf(output, judged->series.key, markdownCode), " | ",
        valueText(part, judged->before), " | ", valueText(part, judged->after),
        " | ", ratioCell(judged->ratio()), " | ",
        sinceText(output, *judged->since, markdownCode), " | ",
        nameOf(judged->kind), judged->follows ? ", follows" : "", " |\n"));
  }
  return std::move(page).finish();
}

}  // namespace traced
