// Checks that the same traces give the same answers and the same export in a
// folder, merged, and merged from merged parts.

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analysis/merge/merge.h"
#include "analysis/report/report_builder.h"
#include "cli/diagnose/diagnose_output.h"
#include "cli/report/report_output.h"
#include "phrasing/verdict_text.h"
#include "phrasing/warnings.h"
#include "truth/trial.h"

namespace traced::truth {
namespace {

const std::vector<std::string> kOfDiagnosis = {
    "healthy", "culprits", "verdicts", "under_way", "ranks", "groups"};
const std::vector<std::string> kOfReport = {"rows", "ranks", "groups"};

class MergeCheck {
 public:
  MergeCheck(const Trial& trial, Lies& lies) : trial_(trial), lies_(lies) {}

  void check(const TraceSet& set, const Diagnosis& diagnosis) {
    const Json diagnosed = diagnoseJson("", set, diagnosis, false);
    const Json counted = reportOf(set);
    exported_ = exportedCsv(set);
    checkText(set, diagnosis);
    if (trial_.program.hosts() > 1 &&
        !has(trial_.program.features, Feature::kMergedHosts)) {
      return;
    }
    const std::string merged = merge({trial_.folder}, "merged");
    compare("merged", {merged}, diagnosed, counted);
    if (!has(trial_.program.features, Feature::kMergedMerges)) return;
    const auto middle =
        trial_.files.begin() +
        static_cast<std::ptrdiff_t>((trial_.files.size() + 1) / 2);
    const std::vector<std::string> first(trial_.files.begin(), middle);
    const std::vector<std::string> second(middle, trial_.files.end());
    if (second.empty() || trial_.program.variation.beside_older) return;
    const std::vector<std::string> parts = {merge(first, "first"),
                                            merge(second, "second")};
    compare("merged parts", parts, diagnosed, counted);
    compare("merge of merges", {merge(parts, "all")}, diagnosed, counted);
  }

 private:
  Json reportOf(const TraceSet& set) {
    Report report =
        buildReport(set, {ReportKey::kOp, ReportKey::kGroup, ReportKey::kRank},
                    ReportedScope::kAll);
    sortRows(report, ReportOrder::kName);
    checkTotals(trial_, report, lies_);
    return reportJson("", set, report);
  }

  // Writes the merged file next to the folder, because the whole folder is
  // read.
  std::string merge(const std::vector<std::string>& inputs,
                    const std::string& name) {
    const std::string path = trial_.folder + "-" + name + ".traced";
    const Result<TraceSet> set = openTraceSet(inputs);
    if (!set) return path;
    if (!writeMerged(*set, path, Existing::kReplaced, "test", clockText).ok()) {
      lies_.push_back({name, "could not be written"});
    }
    return path;
  }

  // Checks that the text contains all verdicts.
  void checkText(const TraceSet& set, const Diagnosis& diagnosis) {
    DiagnoseTextOptions options;
    options.all = true;
    options.max_verdicts = options.max_ranks = 1'000;
    const std::string text =
        unwrapped(diagnoseText("", set, diagnosis, options));
    for (const JobVerdict& verdict : diagnosis.verdicts) {
      const std::string summary = summaryOf(diagnosis.job, verdict);
      if (text.find(unwrapped(summary)) != std::string::npos) continue;
      lies_.push_back({"text", "lacks: " + summary});
    }
  }

  static std::string unwrapped(const std::string& text) {
    std::string plain;
    for (const char c : text) {
      if (c != ' ' && c != '\n') plain += c;
    }
    return plain;
  }

  void compare(const char* what, const std::vector<std::string>& inputs,
               const Json& diagnosed, const Json& counted) {
    const Result<TraceSet> set = openTraceSet(inputs);
    if (!set) {
      lies_.push_back({what, set.error().message});
      return;
    }
    compare(what, diagnosed, diagnoseJson("", *set, diagnose(*set, {}), false),
            kOfDiagnosis);
    compare(what, counted, reportOf(*set), kOfReport);
    if (exportedCsv(*set) == exported_) return;
    lies_.push_back({absl::StrCat(what, " exports other rows"), ""});
  }

  void compare(const char* what, const Json& expected, const Json& found,
               const std::vector<std::string>& keys) {
    for (const std::string& key : keys) {
      if (!expected.contains(key) && !found.contains(key)) continue;
      if (expected.at(key) == found.at(key)) continue;
      lies_.push_back({absl::StrCat(what, " says other ", key),
                       absl::StrCat(Json::diff(expected.at(key), found.at(key))
                                        .dump()
                                        .substr(0, 600))});
      return;
    }
  }

  const Trial& trial_;
  Lies& lies_;
  // The export of the folder.
  std::string exported_;
};

}  // namespace

void checkMerged(const Trial& trial, const TraceSet& set,
                 const Diagnosis& diagnosis, Lies& lies) {
  MergeCheck(trial, lies).check(set, diagnosis);
}

}  // namespace traced::truth
