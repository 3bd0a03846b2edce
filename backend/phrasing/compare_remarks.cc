#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/substitute.h"
#include "phrasing/budget_text.h"
#include "phrasing/compare_text.h"

namespace traced {
namespace {

std::string nameOfPart(RunPart part, const std::optional<RunKey>& key) {
  return absl::StrCat(wordsOf(part), " of ",
                      key ? nameOf(*key) : "all operations");
}

// Indexed by PartRemark::What. $0: the part and its key, $1: the change, $2: "a
// step" or "a run".
constexpr const char* kPartRemarks[] = {
    "the same program differs from itself: $0 by $1 in the runs of --same, so "
    "the machine changed",
    "the runs differ too much: a $2 could be $1 longer by $0 and not be "
    "distinguished "
    "from chance; more runs, or a quieter machine",
    "$0 changed no more than the same program may differ from itself",
    "$0 is not known of every run: not compared",
};

std::string anyOf(const std::set<std::string>& values) {
  return values.empty() ? "none" : absl::StrJoin(values, " or ");
}

struct RemarkPhrases {
  const Comparison& comparison;

  std::string operator()(const RunGap& remark) const {
    return absl::StrCat(remark.run, ": ", gapText(remark.gap));
  }
  std::string operator()(const MoreGaps& remark) const {
    return absl::StrCat(remark.run, ": and ", remark.count, " more reasons");
  }
  std::string operator()(const UnequalRuns& remark) const {
    const auto fact = [&](const UnequalRuns::Run& run) {
      if (remark.in_ranks) return absl::StrCat(run.ranks, " ranks");
      return run.steps.empty() ? "no marked steps"
                               : absl::StrCat("steps ", run.steps);
    };
    return absl::StrCat(
        remark.one.name, " has ", fact(remark.one), " and ", remark.other.name,
        " ", fact(remark.other), ": ",
        remark.in_ranks ? "jobs of different sizes are not compared"
                        : "not the same steps; --steps names those to compare");
  }
  std::string operator()(const OtherProgram& remark) const {
    return absl::StrCat(
        "the two sides are different programs: less than half of the calls of "
        "one are operations that the other has, on one side only are ",
        absl::StrJoin(remark.only, ", ",
                      [](std::string* out, const auto& kind) {
                        absl::StrAppend(out, kind.first, " on ", kind.second);
                      }));
  }
  std::string operator()(const Unbalanced& remark) const {
    return absl::StrCat("the sides are unbalanced: ", remark.base, " and ",
                        remark.other, " runs",
                        remark.of_same ? " of --same" : "", " are no pairs");
  }
  std::string operator()(const TooFewRuns& remark) const {
    const char* unit = comparison.settings.paired ? " pairs" : " a side";
    return absl::StrCat(
        "too few runs: with ", comparison.base_runs, " and ",
        comparison.fresh_runs, " the smallest p is ",
        absl::StrFormat("%.3g", comparison.least_p), ", and of ",
        comparison.tested_keys, " keys ",
        absl::StrFormat("%.3g", comparison.needed_p), " is needed; ",
        remark.enough ? absl::StrCat(*remark.enough, unit, " are enough")
                      : "no number of runs is enough");
  }
  std::string operator()(const OneRun&) const {
    return "one run per side shows how they differ, not whether the program "
           "is the cause: `python -m traced ab` makes several runs of both";
  }
  std::string operator()(const PartRemark& remark) const {
    return absl::Substitute(kPartRemarks[static_cast<std::size_t>(remark.what)],
                            nameOfPart(remark.part, remark.key),
                            absl::StrFormat("%.1f %%", 100 * remark.by),
                            comparison.stepped ? "step" : "run");
  }
  std::string operator()(const InSomeRuns& remark) const {
    return absl::StrCat(nameOf(remark.key), " is in ", remark.in_base, " of ",
                        comparison.base_runs, " and in ", remark.in_fresh,
                        " of ", comparison.fresh_runs,
                        " runs: it varies by itself, not compared");
  }
  std::string operator()(const OtherFact& remark) const {
    return absl::StrCat(remark.name, " was ", anyOf(remark.before), " and is ",
                        anyOf(remark.after));
  }
};

}  // namespace

const char* wordsOf(RunPart part) {
  switch (part) {
    case RunPart::kOwnCall:
      return "own call";
    case RunPart::kWaitForPeers:
      return "wait for peers";
    case RunPart::kExposed:
      return "exposed wait";
    case RunPart::kInFlight:
      return "bytes in flight";
    default:
      return nameOf(part);
  }
}

std::string nameOf(const RunKey& key) {
  std::string name = key.op;
  if (key.size != "0 B" && key.size != "-") {
    absl::StrAppend(&name, " ", key.size);
  }
  if (key.dtype != "-") absl::StrAppend(&name, " ", key.dtype);
  if (key.group != "-") absl::StrAppend(&name, " on ", key.group);
  return name;
}

std::string causeText(const std::optional<Cause>& cause) {
  if (!cause) return "";
  return cause->part ? nameOfPart(*cause->part, cause->key)
                     : "other operations";
}

std::vector<std::string> remarkTexts(const Comparison& comparison,
                                     const std::vector<Remark>& remarks) {
  std::vector<std::string> texts;
  for (const Remark& remark : remarks) {
    texts.push_back(std::visit(RemarkPhrases{comparison}, remark));
  }
  return texts;
}

std::vector<std::string> reasonTexts(const Comparison& comparison) {
  std::vector<std::string> texts = remarkTexts(comparison, comparison.unfit);
  for (std::string& text : remarkTexts(comparison, comparison.not_measured)) {
    texts.push_back(std::move(text));
  }
  return texts;
}

std::string sameRunText(const std::pair<std::string, std::string>& names) {
  return names.first == names.second
             ? absl::StrCat(names.first, " is given twice")
             : absl::StrCat(names.first, " and ", names.second,
                            " are the same run");
}

}  // namespace traced
