#include "cli/report/html/html_page.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "analysis/diagnosis/telling/headline.h"
#include "cli/common/heading.h"
#include "cli/common/scope_option.h"
#include "cli/common/text.h"
#include "cli/common/window_option.h"
#include "cli/report/html/html_tables.h"
#include "cli/report/html/html_text.h"
#include "cli/report/html/page_parts.h"
#include "cli/report/html/page_unknown.h"
#include "cli/report/report_output.h"

namespace traced {
namespace {

// No request to anywhere, and no script or style but ours.
std::string headHtml(const std::string& title) {
  return absl::StrCat(
      "<!doctype html>\n<html lang=en><head><meta charset=utf-8>\n"
      "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; "
      "script-src '",
      kPageScript.hash, "'; style-src '", kPageStyle.hash,
      "'; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=color-scheme content=\"light dark\">\n<title>",
      htmlText(title), " - communication report</title>\n<style>",
      kPageStyle.text, "</style></head>\n<body>\n");
}

// Sentences for a terminal end a line.
std::string withoutEnd(std::string text) {
  absl::StripTrailingAsciiWhitespace(&text);
  return text;
}

std::string sentenceOf(const PageInput& input) {
  const Diagnosis& diagnosis = input.diagnosis;
  if (!diagnosis.verdicts.empty()) {
    return headlineOf(diagnosis.verdicts.front());
  }
  if (input.report.all.calls == 0) return "No operations were recorded.";
  if (!diagnosis.end_unknown.empty()) {
    return absl::StrCat("Nothing wrong was found, but how ",
                        ranksText(diagnosis.end_unknown),
                        " ended is not known.");
  }
  const std::string latest = withoutEnd(latestText(input.report));
  return absl::StrCat("Nothing wrong was found.", latest.empty() ? "" : " ",
                      latest);
}

// One of the four numbers. `value`: as the JSON has it, null where it has none.
std::string numberHtml(const char* name, const Json& value,
                       const std::string& text, const std::string& what) {
  return absl::StrCat("<div class=number><b data-name=", name, " data-value=\"",
                      value.dump(), "\">", htmlText(text), "</b><span>",
                      htmlText(what), "</span></div>\n");
}

// What the rank cost that others waited for most.
std::string worstHtml(const Report& report, const Json& part) {
  const char* name = "worst_rank_caused";
  const RankLateness* rank = report.pictures->worst();
  if (part.is_null() || !rank) {
    return numberHtml(name, part, "none",
                      "no rank is known to have kept others waiting");
  }
  const bool is_certain = rank->certain_ns >= rank->caused_ns / 2;
  return numberHtml(
      name, part,
      absl::StrCat(is_certain ? "" : "~ ", percentText(part.get<double>())),
      absl::StrCat(is_certain
                       ? "was lost to rank "
                       : "seems to be lost (clocks leave it open) to rank ",
                   rank->rank, ", the one that others waited for most: ",
                   durationText(rank->caused_ns),
                   " of their time, in operations that ended"));
}

std::string numbersHtml(const Report& report) {
  const Json shares = pictureSharesJson(report);
  const auto number = [&shares](const char* name) {
    return shares.contains(name) ? shares[name] : Json();
  };
  const Json communication = number("communication");
  const Json exposed = number("exposed");
  const Json waiting = number("wait_for_peers");
  const char* unknown = "not known";
  std::string text = "<div class=numbers>\n";
  absl::StrAppend(
      &text,
      numberHtml(
          "communication", communication,
          communication.is_null()
              ? unknown
              : shareCell(report, report.all, report.summary.totalRunNs()),
          "of the time of the ranks went into calls and waits"),
      numberHtml(
          "exposed", exposed,
          exposed.is_null() ? unknown : percentText(exposed.get<double>()),
          "was exposed: the program stood in waits that were seen"));
  const double uncertain =
      waiting.is_null() ? 0 : shares["wait_for_peers_uncertain"].get<double>();
  const bool is_certain =
      !waiting.is_null() && waiting.get<double>() >= uncertain;
  absl::StrAppend(
      &text,
      numberHtml("wait_for_peers", waiting,
                 waiting.is_null() ? unknown
                 : is_certain      ? percentText(waiting.get<double>())
                                   : "< " + percentText(uncertain),
                 "operations waited for peers, whether or not the program "
                 "waited for them"));
  absl::StrAppend(&text, worstHtml(report, number("worst_rank_caused")),
                  "</div>\n");
  return text;
}

void addList(std::string& html, const char* heading,
             const std::vector<std::string>& sentences) {
  if (sentences.empty()) return;
  absl::StrAppend(&html, "<h4>", heading, "</h4><ul>");
  for (const std::string& sentence : sentences) {
    absl::StrAppend(&html, "<li>", htmlText(sentence), "</li>");
  }
  html += "</ul>";
}

std::string verdictHtml(const JobVerdict& verdict) {
  std::string html = absl::StrCat(
      "<article class=\"verdict ", nameOf(verdict.confidence()),
      "\"><p><strong>", nameOf(verdict.kind), "</strong> ",
      htmlText(verdict.summary), "</p><p class=sure>", nameOf(verdict.finding),
      "; who is to blame: ", nameOf(verdict.culprit),
      verdict.culprits.empty() ? ""
                               : ", " + htmlText(ranksText(verdict.culprits)),
      "</p><details><summary>Why, and what to do</summary>");
  addList(html, "Now", verdict.now);
  addList(html, "Evidence", verdict.evidence);
  addList(html, "Advice", verdict.advice);
  return html + "</details></article>\n";
}

std::string verdictsHtml(const Diagnosis& diagnosis) {
  constexpr std::size_t kShown = 20;
  const auto& verdicts = diagnosis.verdicts;
  std::string html;
  for (std::size_t i = 0; i < std::min(verdicts.size(), kShown); ++i) {
    html += verdictHtml(verdicts[i]);
  }
  if (verdicts.size() > kShown) {
    absl::StrAppend(&html, "<p class=note>", verdicts.size() - kShown,
                    " more are in <code>tracectl diagnose --all</code>.</p>\n");
  }
  return html;
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
               "Mean over the ranks. Exposed is what held the program up.",
               stepTable(report)),
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
  constexpr std::size_t kMostRanks = 1024;
  Json pictures = picturesJson(report);
  auto& ranks = pictures["lateness"].get_ref<Json::array_t&>();
  if (ranks.size() > kMostRanks) {
    std::stable_sort(ranks.begin(), ranks.end(),
                     [](const Json& a, const Json& b) {
                       return a["caused_ns"] > b["caused_ns"];
                     });
    ranks.resize(kMostRanks);
  }
  return pictures;
}

// What the script draws from.
Json dataOf(const PageInput& input) {
  Json blamed = Json::array();
  for (const JobVerdict& verdict : input.diagnosis.verdicts) {
    if (verdict.culprit == Confidence::kUndecided) continue;
    for (const std::uint32_t rank : verdict.culprits) {
      if (blamed.size() < 1000) blamed.push_back(rank);
    }
  }
  return {{"pictures", picturesOf(input.report)},
          {"groups", groupsOf(input.report)},
          {"blamed", std::move(blamed)}};
}

std::string headerHtml(const PageInput& input) {
  const Report& report = input.report;
  std::string about =
      withoutEnd(headingText(input.title, input.set, report.summary));
  for (const std::string& more :
       {scopeText(report.scope, report.out_of_scope),
        windowText(report.window, report.out_of_window)}) {
    if (!more.empty()) absl::StrAppend(&about, "; ", more);
  }
  const bool is_bad = !input.diagnosis.healthy();
  return absl::StrCat("<header><p class=run>", htmlText(about),
                      "</p><h1 class=", is_bad ? "bad" : "good", ">",
                      htmlText(sentenceOf(input)), "</h1>\n",
                      numbersHtml(report), verdictsHtml(input.diagnosis),
                      "</header>\n");
}

}  // namespace

void writeHtmlPage(std::ostream& out, const PageInput& input) {
  out << headHtml(input.title) << headerHtml(input) << "<main>\n";
  if (input.report.all.calls > 0) {
    out << viewsHtml(input.report) << tablesHtml(input.report);
  }
  out << unknownHtml(input)
      << "</main>\n<script type=\"application/json\" id=data>"
      << scriptJson(dataOf(input)) << "</script>\n<script>" << kPageScript.text
      << "</script>\n</body></html>\n";
}

}  // namespace traced
