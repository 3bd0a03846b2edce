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

// Returns the groups with calls, as many as a picture has room for.
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

// Returns the JSON's pictures, without the lateness of the least late of many
// ranks.
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

// Returns what the page's script draws.
Json pageData(const PageInput& input) {
  return {{"pictures", picturesOf(input.report)},
          {"groups", groupsOf(input.report)},
          {"hangs", hangsJson(input)},
          {"blamed", blamedRanks(input)},
          {"lossy", !input.report.isBounded()},
          {"paused", input.report.summary.pauses().count > 0}};
}

// Returns a view: a heading, what it shows, room for a picture, and its
// numbers.
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

// A single dot or tile compares nothing, so its chart is left out.
bool hasSpeeds(const Report& report) {
  const auto& speeds = report.pictures->speeds;
  return std::count_if(speeds.begin(), speeds.end(), [](const Speed& speed) {
           return speed.busbw_p50 > 0;
         }) > 1;
}

bool hasLateness(const Report& report) {
  std::uint64_t last = 0;
  for (const RankLateness& rank : report.pictures->lateness) last += rank.last;
  return last > 1;
}

bool hasGroups(const Report& report) {
  return std::count_if(
             report.group_totals.begin(), report.group_totals.end(),
             [](const CallTotals& totals) { return totals.calls > 0; }) > 1;
}

std::string viewsHtml(const PageInput& input) {
  const Report& report = input.report;
  const Pictures& pictures = *report.pictures;
  std::string html;
  if (!pictures.steps.entries.empty()) {
    html += pictures.steps.by_step
                ? viewHtml("steps", "Where the time of each step went",
                           "One bar per step: the mean over the ranks.",
                           stepTable(report))
                : viewHtml("steps", "Where the time went",
                           "One bar per interval: the mean over the ranks.",
                           stepTable(report));
  }
  if (pictures.waits.rows.size() > 1) {
    html += viewHtml("waits", "Who kept whom waiting, and when",
                     "One row per rank, time to the right. The darker a row, "
                     "the more ranks waited for this rank.",
                     "");
  }
  if (!pictures.links.links.empty()) {
    html += viewHtml("links", "Data sent between ranks",
                     "All-to-alls and messages. Rows send, columns receive.",
                     linkTable(report));
  }
  if (hasSpeeds(report)) {
    html += viewHtml("speeds", "Bus bandwidth by message size",
                     "Medians, with lines from the 10th to the 90th "
                     "percentile. Dashed: the best median of the run.",
                     speedTable(report));
  }
  if (hasLateness(report)) {
    html += viewHtml(
        "lateness", "How late each rank was",
        hasHang(input)
            ? "Only operations in which the rank was last: how much later it "
              "was than the second-latest rank. The hang is not counted. Box: "
              "25th to 75th percentile. Bar: median. Line: from 0 to the "
              "maximum."
            : "Only operations in which the rank was last: how much later it "
              "was than the second-latest rank. Box: 25th to 75th percentile. "
              "Bar: median. Line: from 0 to the maximum.",
        latenessTable(input));
  }
  if (hasGroups(report)) {
    html += viewHtml("groups", "Groups",
                     "One tile per process group. The darker a tile, the "
                     "longer its mean operation took, compared with groups of "
                     "the same size.",
                     groupTable(report));
  }
  return html;
}

std::string tablesHtml(const PageInput& input) {
  return absl::StrCat(
      "<section id=tables><h2>All numbers</h2><div class=tools></div>"
      "<h3>Operations</h3><p>Percentiles (p50, p99) are over all ranks' "
      "operations.</p>",
      operationTable(input.report),
      "<h3>Ranks</h3><p>Each row is one rank. Times are sums over its "
      "operations, so overlapping operations add up. Only the share counts "
      "each instant once.</p>",
      rankTable(input), "</section>\n");
}

std::string unknownHtml(const PageInput& input) {
  std::string html =
      "<section id=unknown><h2>What is not known</h2><ul class=unknown>";
  for (const std::string& sentence : unknownSentences(input)) {
    absl::StrAppend(&html, "<li>", htmlText(sentence), "</li>\n");
  }
  return html + "</ul></section>\n";
}

// The page makes no requests and runs only its own script and style.
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
    out << viewsHtml(input) << tablesHtml(input);
  }
  out << unknownHtml(input) << "</main>\n"
      << "<script type=\"application/json\" id=data>"
      << scriptJson(pageData(input)) << "</script>\n<script>"
      << kReportPage.script.text << "</script>\n</body></html>\n";
}

}  // namespace traced
