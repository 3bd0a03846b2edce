#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/common/heading.h"
#include "cli/common/next_commands.h"
#include "cli/common/part_options.h"
#include "cli/report/html/html_text.h"
#include "cli/report/html/page_sections.h"
#include "cli/report/report_output.h"
#include "phrasing/diagnosis_text.h"
#include "phrasing/text.h"
#include "phrasing/verdict_text.h"
#include "phrasing/warnings.h"

namespace traced {
namespace {

// Removes the line end of a sentence for a terminal.
std::string withoutEnd(std::string text) {
  absl::StripTrailingAsciiWhitespace(&text);
  return text;
}

const JobVerdict* headlineVerdict(const PageInput& input) {
  const auto& verdicts = input.diagnosis.verdicts;
  return verdicts.empty() ? nullptr : &verdicts.front();
}

// Returns whether nothing was found in a run with missing records.
bool isUnsure(const PageInput& input) {
  return input.diagnosis.healthy() && input.report.all.calls > 0 &&
         input.report.summary.losses().any();
}

std::string sentenceOf(const PageInput& input) {
  const Diagnosis& diagnosis = input.diagnosis;
  if (const JobVerdict* headline = headlineVerdict(input)) {
    return headlineOf(diagnosis.job, *headline);
  }
  if (input.report.all.calls == 0) return "No operations were recorded.";
  return isUnsure(input)
             ? "Nothing wrong was found in what was recorded, but records are "
               "missing."
             : nothingWrongText(diagnosis);
}

// Returns the text below the headline: what is missing, or who was last most
// often.
std::string remarkHtml(const PageInput& input) {
  const Diagnosis& diagnosis = input.diagnosis;
  if (headlineVerdict(input) || input.report.all.calls == 0) return "";
  std::string text;
  if (isUnsure(input)) {
    text = absl::StrCat(
        "Missing: ",
        absl::StrJoin(lossTexts(input.report.summary.losses()), "; "), ". ");
  }
  if (diagnosis.howEndedUnknown().empty()) {
    absl::StrAppend(&text, withoutEnd(latestText(input.report)));
  }
  if (text.empty()) return "";
  return absl::StrCat("<p class=remark>", htmlText(text), "</p>\n");
}

// Returns one of the numbers. `value`: as in the JSON, or null. `mark`: a class
// for a number that belongs to the headline, or "".
std::string numberHtml(const char* name, const Json& value,
                       const std::string& text, const std::string& what,
                       const char* mark = "") {
  return absl::StrCat("<div class=\"number ", mark, "\"><b data-name=", name,
                      " data-value=\"", value.dump(), "\">", htmlText(text),
                      "</b><span>", htmlText(what), "</span></div>\n");
}

constexpr char kOfHeadline[] = "of-headline";

// Returns how long the hang of the headline lasted.
std::string hangHtml(const PageInput& input, const JobVerdict& verdict) {
  const Json hang = hangJson(input, verdict);
  std::vector<std::uint32_t> waiting;
  for (const Json& each : hang["waiting"]) {
    waiting.push_back(each["rank"].get<std::uint32_t>());
  }
  const auto missing = hang["missing"].get<std::vector<std::uint32_t>>();
  const auto ns = hang["until_ns"].get<std::int64_t>() -
                  hang["from_ns"].get<std::int64_t>();
  return numberHtml(
      "hang", ns, durationText(static_cast<std::uint64_t>(ns)),
      absl::StrCat(
          "hang: ", waiting.empty() ? "ranks" : ranksText(std::move(waiting)),
          missing.empty() ? " made no progress" : " waited",
          missing.empty() ? "" : absl::StrCat(" for ", ranksText(missing)),
          " in ", hang["operation"].get<std::string>()),
      kOfHeadline);
}

const RankLateness* latenessOf(const PageInput& input, std::uint32_t rank) {
  const auto& ranks = input.report.pictures->lateness;
  const auto found =
      std::find_if(ranks.begin(), ranks.end(),
                   [&](const auto& each) { return each.rank == rank; });
  return found == ranks.end() ? nullptr : &*found;
}

// Returns how long others waited for a rank: for the one that the headline
// names, or for the one that they waited for most.
std::string waitedForHtml(const PageInput& input, const RankLateness& rank,
                          bool is_of_headline) {
  const auto run_ns = static_cast<double>(input.report.summary.rankTimeNs());
  const Json part = static_cast<double>(rank.caused_ns) / run_ns;
  const bool is_certain = rank.certain_ns >= rank.caused_ns / 2;
  return numberHtml(
      is_of_headline ? "blamed_rank_caused" : "worst_rank_caused", part,
      absl::StrCat(is_certain ? "" : "~ ", percentText(part.get<double>())),
      absl::StrCat(
          "of rank time: operations of the other ranks waited for rank ",
          rank.rank, " alone (", durationText(rank.caused_ns),
          ", summed over these ranks)",
          is_of_headline ? "" : "; the largest share of any rank",
          is_certain ? "" : "; mostly uncertain"),
      is_of_headline ? kOfHeadline : "");
}

// Returns the number that belongs to the headline, or "".
std::string headlineNumberHtml(const PageInput& input) {
  const JobVerdict* headline = headlineVerdict(input);
  if (!headline) return "";
  if (isHang(input, *headline)) return hangHtml(input, *headline);
  const bool is_of_times =
      traitsOf(headline->kind).of_times || headline->kind == VerdictKind::kLate;
  if (!is_of_times || headline->culprit == Confidence::kUndecided ||
      headline->culprits.size() != 1) {
    return "";
  }
  const RankLateness* rank = latenessOf(input, headline->culprits.front());
  return rank && rank->caused_ns > 0 ? waitedForHtml(input, *rank, true) : "";
}

// Returns how long others waited for the rank that they waited for most. "" if
// the headline names another rank.
std::string worstHtml(const PageInput& input, const Json& part) {
  const RankLateness* rank = input.report.pictures->worst();
  if (const JobVerdict* headline = headlineVerdict(input)) {
    const auto& culprits = headline->culprits;
    const bool is_named =
        rank &&
        std::binary_search(culprits.begin(), culprits.end(), rank->rank);
    if (!is_named || part.is_null()) return "";
    return waitedForHtml(input, *rank, false);
  }
  if (!part.is_null() && rank) return waitedForHtml(input, *rank, false);
  const auto& ranks = input.report.pictures->lateness;
  const bool any =
      std::any_of(ranks.begin(), ranks.end(),
                  [](const auto& other) { return other.caused_ns > 0; });
  const char* name = "worst_rank_caused";
  return any ? numberHtml(name, part, "no single rank",
                          "kept the others waiting much more than the rest")
             : numberHtml(name, part, "none",
                          "no rank is known to have kept others waiting");
}

// Returns what the percentages refer to.
std::string rankTimeHtml(const Report& report) {
  const std::uint64_t rank_time_ns = report.summary.rankTimeNs();
  if (report.summary.fromDumps() || rank_time_ns == 0) return "";
  return absl::StrCat(
      "<p class=note>Rank time: ", durationText(rank_time_ns),
      ", the sum over ", countOf(report.summary.ranks().size(), "rank"),
      " of the time from the first operation to the last, at most ",
      durationText(report.summary.longestRankTimeNs()), " on a rank.</p>\n");
}

std::string numbersHtml(const PageInput& input) {
  const Report& report = input.report;
  const Json shares = pictureSharesJson(report);
  const auto number = [&shares](const char* name) {
    return shares.contains(name) ? shares[name] : Json();
  };
  const Json communication = number("communication");
  const Json exposed_wait_for_peers = number("exposed_wait_for_peers");
  const Json hidden = number("hidden");
  const char* unknown = "not known";
  const std::string share =
      communication.is_null()
          ? unknown
          : shareCell(report, report.all, report.summary.rankTimeNs());
  const bool is_range = share.find('-') != std::string::npos;
  const std::string of_headline = headlineNumberHtml(input);
  const bool is_lossy = !report.isBounded();
  const std::string without_lost =
      is_lossy ? "; lost records are not counted" : "";
  const std::string without =
      (hasHang(input)
           ? "; the hang is not counted, because its waits never ended"
           : "") +
      without_lost;
  std::string text = absl::StrCat("<div class=numbers>\n", of_headline);
  absl::StrAppend(
      &text,
      numberHtml("communication", communication, share,
                 absl::StrCat("of rank time was communication",
                              !is_range ? without_lost
                                        : "; not all waits are recorded, so "
                                          "the exact share is unknown")));
  const auto percent = [&](const Json& part) {
    return part.is_null() ? unknown
                          : absl::StrCat(is_lossy ? ">=" : "",
                                         percentText(part.get<double>()));
  };
  const bool is_vague = !report.time.isDivided();
  absl::StrAppend(
      &text,
      numberHtml(
          "exposed_wait_for_peers", exposed_wait_for_peers,
          absl::StrCat(is_vague ? "~ " : "", percent(exposed_wait_for_peers)),
          absl::StrCat("of rank time the program waited for the "
                       "slowest rank",
                       is_vague ? "; mostly uncertain" : "", without)));
  absl::StrAppend(&text,
                  numberHtml("hidden", hidden, percent(hidden),
                             "of rank time communication was hidden behind "
                             "computing" +
                                 without_lost));
  // The headline's own number already names the rank that others waited for.
  if (of_headline.empty()) {
    text += worstHtml(input, number("worst_rank_caused"));
  }
  return text + "</div>\n" + rankTimeHtml(report);
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

// Adds the commands for a closer look, ready to copy.
void addCommands(std::string& html, const PageInput& input,
                 const JobVerdict& verdict) {
  std::vector<std::string> commands =
      nextCommands(input.inputs, input.diagnosis.job, verdict);
  commands.push_back(
      absl::StrCat("tracectl diagnose ", input.inputs, " --all"));
  html += "<h4>Run next</h4><pre>";
  for (const std::string& command : commands) {
    absl::StrAppend(&html, htmlText(command), "\n");
  }
  html += "</pre>";
  if (!input.inputs_note.empty()) {
    absl::StrAppend(&html, "<p class=note>", htmlText(input.inputs_note),
                    "</p>");
  }
}

std::string verdictHtml(const PageInput& input, const JobVerdict& verdict) {
  const JobState& job = input.diagnosis.job;
  std::string html = absl::StrCat(
      "<article class=\"verdict ", nameOf(verdict.confidence()),
      "\"><p><strong>", nameOf(verdict.kind), "</strong> ",
      htmlText(summaryOf(job, verdict)), "</p><p class=sure>",
      "Finding: ", nameOf(verdict.finding), ". Culprit: ",
      verdict.culprits.empty()
          ? nameOf(verdict.culprit)
          : absl::StrCat(htmlText(ranksText(verdict.culprits)), " (",
                         nameOf(verdict.culprit), ")"),
      ".</p><details open><summary>Reasons and next steps</summary>");
  addList(html, "At the end of the trace", phrases(job, verdict.now));
  addList(html, "Why", phrases(job, verdict.reasons));
  addList(html, "Check", phrases(job, verdict.advice));
  addCommands(html, input, verdict);
  return html + "</details></article>\n";
}

std::string verdictsHtml(const PageInput& input) {
  constexpr std::size_t kShown = 20;
  const auto& verdicts = input.diagnosis.verdicts;
  std::string html;
  for (std::size_t i = 0; i < std::min(verdicts.size(), kShown); ++i) {
    html += verdictHtml(input, verdicts[i]);
  }
  if (verdicts.size() > kShown) {
    absl::StrAppend(
        &html, "<p class=note>", verdicts.size() - kShown,
        " more verdicts: run <code>tracectl diagnose --all</code>.</p>\n");
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
  const char* mark = !input.diagnosis.healthy() ? "bad"
                     : isUnsure(input)          ? "unsure"
                                                : "good";
  return absl::StrCat("<header><p class=run>", htmlText(about),
                      "</p><h1 class=", mark, ">", htmlText(sentenceOf(input)),
                      "</h1>\n", remarkHtml(input), numbersHtml(input),
                      verdictsHtml(input), "</header>\n");
}

}  // namespace traced
