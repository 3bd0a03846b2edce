#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/report/html/html_text.h"
#include "cli/report/html/page_parts.h"
#include "cli/report/html/page_sections.h"
#include "cli/report/report_output.h"
#include "phrasing/text.h"

namespace traced {
namespace {

// Of each group that did anything, as many as a picture has room for.
Json groupsOf(const Report& report) {
  constexpr std::size_t kShown = 400;
  std::vector<std::uint32_t> shown;
  for (std::uint32_t i = 0; i < report.group_totals.size(); ++i) {
    if (report.group_totals[i].calls > 0) shown.push_back(i);
  }
  std::stable_sort(shown.begin(), shown.end(),
                   [&](std::uint32_t a, std::uint32_t b) {
                     return report.group_totals[a].completion.total_ns >
                            report.group_totals[b].completion.total_ns;
                   });
  const std::size_t all = shown.size();
  shown.resize(std::min(all, kShown));
  Json rows = Json::array();
  for (const std::uint32_t i : shown) {
    const CallTotals& totals = report.group_totals[i];
    rows.push_back({{"label", printable(report.groups.label(i))},
                    {"members", report.groups.groups()[i].members.text()},
                    {"size", report.groups.groups()[i].members.size()},
                    {"count", totals.calls},
                    {"bytes", totals.bytes},
                    {"completion", toJson(totals.completion)},
                    {"transfer", toJson(totals.split.transfer)},
                    {"wait_for_peers", toJson(totals.split.wait_for_peers)}});
  }
  return {{"left_out", all - shown.size()}, {"rows", std::move(rows)}};
}

// As the JSON has it; of very many ranks how late those were that cost most.
Json picturesOf(const Report& report) {
  constexpr std::size_t kMaxRanks = 1024;
  Json pictures = picturesJson(report);
  auto& ranks = pictures["lateness"].get_ref<Json::array_t&>();
  if (ranks.size() > kMaxRanks) {
    std::stable_sort(ranks.begin(), ranks.end(),
                     [](const Json& a, const Json& b) {
                       return a["caused_ns"] > b["caused_ns"];
                     });
    ranks.resize(kMaxRanks);
  }
  return pictures;
}

// What the script of the page draws from.
Json pageData(const PageInput& input) {
  Json blamed = Json::array();
  for (const JobVerdict& verdict : input.diagnosis.verdicts) {
    if (verdict.culprit == Confidence::kUndecided) continue;
    for (const std::uint32_t rank : verdict.culprits) {
      if (blamed.size() < 1000) blamed.push_back(rank);
    }
  }
  return {{"pictures", picturesOf(input.report)},
          {"groups", groupsOf(input.report)},
          {"hangs", hangsJson(input)},
          {"blamed", std::move(blamed)}};
}

// A view: a heading, what it shows, room for a picture, and its numbers.
std::string viewHtml(const char* name, const char* heading, const char* what,
                     const std::string& table) {
  return absl::StrCat("<section id=", name, "><h2>", heading, "</h2><p>", what,
                      "</p><div class=view data-view=", name, "></div>",
                      table.empty() ? ""
                                    : "<details class=table><summary>Numbers"
                                      "</summary>" +
                                          table + "</details>",
                      "</section>\n");
}

std::string viewsHtml(const Report& report) {
  return absl::StrCat(
      viewHtml("steps", "Where the time of a step went",
               "Each bar is a mean over the ranks.", stepTable(report)),
      viewHtml(
          "waits", "Who kept whom waiting, and when",
          "A line per rank, time to the right. The strong line is the rank "
          "that others waited for.",
          ""),
      viewHtml("links", "From rank to rank",
               "What all-to-alls and messages moved. A row sends, a column "
               "receives.",
               linkTable(report)),
      viewHtml("speeds", "Bus bandwidth over message size",
               "The median, and a line from the 10th to the 90th percentile. "
               "The roof is the best median of the run.",
               speedTable(report)),
      viewHtml(
          "lateness", "How late each rank was",
          "Where it was the last: how long after the last but one. The box "
          "has the middle half, the bar the median, the line the rest.",
          latenessTable(report)),
      viewHtml("groups", "Groups",
               "Each group is a field; the stronger its colour, the longer one "
               "operation took on the average, compared with groups of as many "
               "members.",
               groupTable(report)));
}

std::string tablesHtml(const Report& report) {
  return absl::StrCat(
      "<section id=tables><h2>All numbers</h2><div class=tools></div>"
      "<h3>Operations</h3>",
      operationTable(report), "<h3>Ranks</h3>", rankTable(report),
      "</section>\n");
}

std::string unknownHtml(const PageInput& input) {
  std::string html =
      "<section id=unknown><h2>What is not known</h2><ul class=unknown>";
  for (const std::string& sentence : unknownSentences(input)) {
    absl::StrAppend(&html, "<li>", htmlText(sentence), "</li>\n");
  }
  return html + "</ul></section>\n";
}

// Makes no request, and runs no script or style but ours.
std::string headHtml(const std::string& title) {
  return absl::StrCat(
      "<!doctype html>\n<html lang=en><head><meta charset=utf-8>\n"
      "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; "
      "script-src '",
      kReportPage.script.hash, "'; style-src '", kReportPage.style.hash,
      "'; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=color-scheme content=\"light dark\">\n<title>",
      htmlText(title), " - communication report</title>\n<style>",
      kReportPage.style.text, "</style></head>\n<body>\n");
}

}  // namespace

void writeHtmlPage(std::ostream& out, const PageInput& input) {
  out << headHtml(input.title) << headerHtml(input) << "<main>\n";
  if (input.report.all.calls > 0) {
    out << viewsHtml(input.report) << tablesHtml(input.report);
  }
  out << unknownHtml(input) << "</main>\n"
      << "<script type=\"application/json\" id=data>"
      << scriptJson(pageData(input)) << "</script>\n<script>"
      << kReportPage.script.text << "</script>\n</body></html>\n";
}

}  // namespace traced
