// Formats for CI systems.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "cli/common/ci_output.h"
#include "cli/compare/compare_output.h"
#include "phrasing/text.h"

namespace traced {
namespace {

// A call site: file "train.py" and line 120.
struct SourceLocation {
  std::string file;
  std::string line;
};

// Parses a call site; absent if it has no line. Removes `below` from the front
// of the file name.
std::optional<SourceLocation> locationOf(const std::string& site,
                                         const std::string& below) {
  const std::size_t colon = site.find(':');
  if (colon == std::string::npos || colon == 0) return std::nullopt;
  std::size_t end = colon + 1;
  while (end < site.size() && site[end] >= '0' && site[end] <= '9') ++end;
  if (end == colon + 1 || end - colon > 10) return std::nullopt;
  std::string file = site.substr(0, colon);
  if (!below.empty() && file.starts_with(below + "/")) {
    file = file.substr(below.size() + 1);
  }
  return SourceLocation{file, site.substr(colon + 1, end - colon - 1)};
}

using Level = CompareFinding::Level;

// Escapes characters that would end the message or the properties of a workflow
// command.
std::string message(const std::string& text) {
  return absl::StrReplaceAll(printable(text), {{"%", "%25"}});
}
std::string property(const std::string& text) {
  return absl::StrReplaceAll(message(text), {{":", "%3A"}, {",", "%2C"}});
}

std::string textOf(const CompareFinding& finding) {
  return finding.follows.empty()
             ? finding.text
             : absl::StrCat(finding.text, "; follows from ", finding.follows);
}

std::string annotation(const char* kind, const CompareFinding& finding,
                       const std::string& workspace) {
  std::string where = "title=tracectl compare";
  if (const auto place = locationOf(finding.site, workspace)) {
    absl::StrAppend(&where, ",file=", property(place->file),
                    ",line=", place->line);
  }
  return absl::StrCat("::", kind, " ", where, "::", message(textOf(finding)),
                      "\n");
}

JunitCase caseOf(const ComparedKey& key) {
  JunitCase test{keyText(key.key, printable), "", ""};
  return test;
}

}  // namespace

std::string compareAnnotations(const Comparison& comparison,
                               const std::string& workspace) {
  // GitHub shows this many of each kind per step and drops the rest silently.
  constexpr std::size_t kMax = 10;
  const char* kinds[] = {"error", "warning", "notice"};
  std::size_t shown[] = {0, 0, 0};
  std::string text;
  for (const CompareFinding& finding : compareFindings(comparison, printable)) {
    const std::size_t kind = finding.level != Level::kWorse ? 2
                             : finding.follows.empty()      ? 0
                                                            : 1;
    if (shown[kind] == kMax) continue;
    ++shown[kind];
    text += annotation(kinds[kind], finding, workspace);
  }
  std::vector<std::string> reasons = reasonTexts(comparison);
  for (std::size_t i = 0; i < reasons.size() && shown[1] + i < kMax; ++i) {
    absl::StrAppend(&text, "::warning title=tracectl compare::not measured: ",
                    message(reasons[i]), "\n");
  }
  return text;
}

std::string compareJunit(const Comparison& comparison) {
  std::vector<JunitCase> cases;
  JunitCase measured{"the runs can be compared", "", ""};
  const std::vector<std::string> reasons = reasonTexts(comparison);
  if (!reasons.empty()) {
    measured.outcome = "error";
    measured.message = absl::StrJoin(reasons, "; ");
  }
  cases.push_back(std::move(measured));
  if (!comparison.has_verdict) {
    return junitText("communication", "compare", cases);
  }
  JunitCase same{"the same operations", "", ""};
  std::vector<std::string> others;
  for (const CompareFinding& finding : compareFindings(comparison, printable)) {
    const bool is_other = finding.rule == "new" || finding.rule == "gone" ||
                          finding.rule == "dtype" || finding.rule == "size" ||
                          finding.rule == "groups";
    if (is_other) others.push_back(finding.text);
  }
  if (!others.empty()) {
    same.outcome = "failure";
    same.message = absl::StrJoin(others, "; ");
  }
  cases.push_back(std::move(same));
  for (const ComparedKey& key : comparison.keys) {
    JunitCase test = caseOf(key);
    std::vector<std::string> worse;
    for (const Change& change : key.changes) {
      if (change.kind != ChangeKind::kWorse) continue;
      worse.push_back(absl::StrCat(
          wordsOf(change.part), " ", changeText(change), ": ",
          valueText(change.part, change.before), " to ",
          valueText(change.part, change.after),
          change.follows ? "; follows from " + causeText(change.follows) : ""));
    }
    if (!worse.empty()) {
      test.outcome = "failure";
      test.message = absl::StrJoin(worse, "; ");
    }
    cases.push_back(std::move(test));
  }
  return junitText("communication", "compare", cases);
}

std::string compareSarif(const Comparison& comparison,
                         const std::string& workspace) {
  Json results = Json::array();
  Json rules = Json::array();
  std::vector<std::string> known;
  for (const CompareFinding& finding : compareFindings(comparison, printable)) {
    const auto place = locationOf(finding.site, workspace);
    if (!place || finding.level == Level::kBetter) continue;
    const std::string rule = "traced/" + finding.rule;
    if (std::find(known.begin(), known.end(), rule) == known.end()) {
      known.push_back(rule);
      rules.push_back({{"id", rule}});
    }
    std::uint32_t line = 1;
    (void)absl::SimpleAtoi(place->line, &line);
    const bool reason =
        finding.level == Level::kWorse && finding.follows.empty();
    results.push_back(
        {{"ruleId", rule},
         {"level", reason ? "error" : "note"},
         {"message", {{"text", textOf(finding)}}},
         {"locations",
          Json::array(
              {{{"physicalLocation",
                 {{"artifactLocation", {{"uri", place->file}}},
                  {"region", {{"startLine", std::max(line, 1U)}}}}}}})}});
  }
  const Json driver = {{"name", "tracectl"},
                       {"version", TRACED_VERSION},
                       {"rules", std::move(rules)}};
  const Json run = {{"tool", {{"driver", driver}}},
                    {"results", std::move(results)}};
  const Json sarif = {
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
      {"version", "2.1.0"},
      {"runs", Json::array({run})}};
  return jsonText(sarif) + "\n";
}

}  // namespace traced
