#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "cli/common/heading.h"
#include "cli/common/part_options.h"
#include "cli/report/html/html_text.h"
#include "cli/report/html/page_sections.h"
#include "cli/report/report_output.h"
#include "phrasing/diagnosis_text.h"
#include "phrasing/text.h"
#include "phrasing/verdict_text.h"

namespace traced {
namespace {

// Sentences for a terminal end a line.
std::string withoutEnd(std::string text) {
  absl::StripTrailingAsciiWhitespace(&text);
  return text;
}

std::string sentenceOf(const PageInput& input) {
  const Diagnosis& diagnosis = input.diagnosis;
  if (!diagnosis.verdicts.empty()) {
    return headlineOf(diagnosis.job, diagnosis.verdicts.front());
  }
  if (input.report.all.calls == 0) return "No operations were recorded.";
  const std::string nothing = nothingWrongText(diagnosis);
  const std::string latest = withoutEnd(latestText(input.report));
  if (latest.empty() || !diagnosis.howEndedUnknown().empty()) return nothing;
  return absl::StrCat(nothing, " ", latest);
}

// One of the four numbers. `value`: as the JSON has it, null where it has none.
std::string numberHtml(const char* name, const Json& value,
                       const std::string& text, const std::string& what) {
  return absl::StrCat("<div class=number><b data-name=", name, " data-value=\"",
                      value.dump(), "\">", htmlText(text), "</b><span>",
                      htmlText(what), "</span></div>\n");
}

// The rank that the headline names; nullptr where it names none or several.
const RankLateness* blamedRank(const PageInput& input) {
  if (input.diagnosis.verdicts.empty()) return nullptr;
  const JobVerdict& headline = input.diagnosis.verdicts.front();
  if (headline.culprit == Confidence::kUndecided ||
      headline.culprits.size() != 1) {
    return nullptr;
  }
  const auto& ranks = input.report.pictures->lateness;
  const auto found = std::find_if(
      ranks.begin(), ranks.end(),
      [&](const auto& rank) { return rank.rank == headline.culprits.front(); });
  return found == ranks.end() ? nullptr : &*found;
}

// What the rank cost that the headline names. The hang itself is not in it.
std::string blamedHtml(const Report& report, const RankLateness& rank) {
  const auto run_ns = static_cast<double>(report.summary.rankTimeNs());
  const Json part = static_cast<double>(rank.caused_ns) / run_ns;
  return numberHtml(
      "blamed_rank_caused", part, percentText(part.get<double>()),
      absl::StrCat("was lost to rank ", rank.rank,
                   ", which the verdict names: ", durationText(rank.caused_ns),
                   " of the others' time, in operations that ended"));
}

// What the rank cost that others waited for most.
std::string worstHtml(const PageInput& input, const Json& part) {
  const char* name = "worst_rank_caused";
  const Report& report = input.report;
  const RankLateness* rank = report.pictures->worst();
  const RankLateness* blamed = blamedRank(input);
  if (blamed && rank && blamed->rank != rank->rank &&
      report.summary.rankTimeNs() > blamed->caused_ns) {
    return blamedHtml(report, *blamed);
  }
  if (part.is_null() || !rank) {
    const auto& ranks = report.pictures->lateness;
    const bool any =
        std::any_of(ranks.begin(), ranks.end(),
                    [](const auto& other) { return other.caused_ns > 0; });
    return any ? numberHtml(name, part, "open",
                            "which rank others waited for most: ranks that "
                            "wait are late themselves")
               : numberHtml(name, part, "none",
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

std::string numbersHtml(const PageInput& input) {
  const Report& report = input.report;
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
              : shareCell(report, report.all, report.summary.rankTimeNs()),
          "of the time of the ranks went into calls and waits"),
      numberHtml(
          "exposed", exposed,
          exposed.is_null() ? unknown : percentText(exposed.get<double>()),
          "was exposed: the program stood in recorded waits"));
  absl::StrAppend(
      &text,
      numberHtml("wait_for_peers", waiting,
                 waiting.is_null() ? unknown : waitingCell(report, "-"),
                 "operations waited for peers, whether or not the program "
                 "waited for them"));
  absl::StrAppend(&text, worstHtml(input, number("worst_rank_caused")),
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

std::string verdictHtml(const JobState& job, const JobVerdict& verdict) {
  std::string html = absl::StrCat(
      "<article class=\"verdict ", nameOf(verdict.confidence()),
      "\"><p><strong>", nameOf(verdict.kind), "</strong> ",
      htmlText(summaryOf(job, verdict)), "</p><p class=sure>",
      nameOf(verdict.finding), "; who is to blame: ", nameOf(verdict.culprit),
      verdict.culprits.empty() ? ""
                               : ", " + htmlText(ranksText(verdict.culprits)),
      "</p><details open><summary>Why, and what to do</summary>");
  addList(html, "Now", phrases(job, verdict.now));
  addList(html, "Evidence", phrases(job, verdict.reasons));
  addList(html, "Advice", phrases(job, verdict.advice));
  return html + "</details></article>\n";
}

std::string verdictsHtml(const Diagnosis& diagnosis) {
  constexpr std::size_t kShown = 20;
  const auto& verdicts = diagnosis.verdicts;
  std::string html;
  for (std::size_t i = 0; i < std::min(verdicts.size(), kShown); ++i) {
    html += verdictHtml(diagnosis.job, verdicts[i]);
  }
  if (verdicts.size() > kShown) {
    absl::StrAppend(&html, "<p class=note>", verdicts.size() - kShown,
                    " more are in <code>tracectl diagnose --all</code>.</p>\n");
  }
  return html;
}

}  // namespace

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
                      numbersHtml(input), verdictsHtml(input.diagnosis),
                      "</header>\n");
}

}  // namespace traced
