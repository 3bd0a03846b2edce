#include "phrasing/budget_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/substitute.h"
#include "analysis/compare/compare_limits.h"
#include "analysis/stream/rank_list.h"
#include "phrasing/end_text.h"
#include "phrasing/warnings.h"

namespace traced {
namespace {

std::string onRanks(const std::vector<std::uint32_t>& ranks) {
  return absl::StrCat(" on ", ranksText(ranks));
}

// Indexed by MissingPart::What. $0: count, $1: the text, $2: its ranks, $3: its
// steps, $4: the number of compared kinds.
constexpr const char* kMissingParts[] = {
    "the trace does not contain the number of ranks",
    "no trace of ranks $1 (the job has $0 ranks)",
    "no rank's trace could be read",
    "$0 bytes of the inputs could not be used",
    "$0 operations were not recorded (TRACED_SCOPE)$2",
    "$0 operations failed",
    "$0 operations are of more than the $4 kinds that can be compared",
    "not all of the steps $1 were marked$2",
    "tracing was switched off$3$2",
    "no operations in steps $1",
};

struct GapPhrases {
  std::string operator()(const MissingPart& gap) const {
    return absl::Substitute(
        kMissingParts[static_cast<std::size_t>(gap.what)], gap.count, gap.text,
        onRanks(gap.ranks),
        gap.text.empty() ? "" : absl::StrCat(" in steps ", gap.text), kMaxKeys);
  }
  std::string operator()(const Loss& loss) const { return lossText(loss); }
  std::string operator()(const ClockWarning& warning) const {
    return clockText(warning);
  }
  std::string operator()(const BrokenOff& gap) const {
    return absl::StrCat("rank ", gap.rank, " ",
                        gap.end ? endText(*gap.end) : "was killed");
  }
  std::string operator()(const InputWarning& warning) const {
    return warning.text;
  }
};

// Indexed by Disagreement::What. $0: the row.
constexpr const char* kDisagreements[] = {
    "$0: not alike in all runs",
    "structure of $0: not alike in all runs",
    "count of $0: not equal in all runs",
    "bytes of $0: not equal in all runs",
    "groups of $0: not equal in all runs",
    "order of $0: not equal in all runs",
    "together of $0: not equal in all runs",
    "waited_at_once of $0: not equal in all runs",
};

// Returns the first six entries and counts the rest.
std::string orderText(const std::vector<std::string>& order) {
  constexpr std::size_t kShown = 6;
  std::vector<std::string> shown = order;
  if (shown.size() > kShown) {
    shown.resize(kShown);
    shown.push_back(absl::StrCat(order.size() - kShown, " more"));
  }
  return absl::StrJoin(shown, ", ");
}

std::string orUnequal(const std::optional<std::uint64_t>& value) {
  return value ? absl::StrCat(*value) : "not equal in every step";
}

std::string differenceText(const StructureRow& row,
                           const StructureDifference& difference) {
  const GroupStructure& wanted = row.structure;
  const GroupStructure& found = difference.found;
  const std::string rank = absl::StrCat("rank ", difference.rank);
  const char* where = " where the budget has ";
  switch (difference.what) {
    case StructureDifference::What::kOrder:
      return absl::StrCat(
          rank, " calls ",
          found.order ? orderText(*found.order) : "not the same in every step",
          where, orderText(*wanted.order));
    case StructureDifference::What::kTogether:
      return absl::StrCat(rank, " has at most ", orUnequal(found.together),
                          " calls under way together", where, *wanted.together);
    case StructureDifference::What::kWaitedAtOnce:
      return absl::StrCat(
          rank, " waits at once for ", orUnequal(found.waited_at_once),
          " of its calls", where, *wanted.waited_at_once,
          found.waited_at_once > wanted.waited_at_once ? ": overlap was lost"
                                                       : "");
    case StructureDifference::What::kGroups:
      break;
  }
  return absl::StrCat("the groups are ", difference.groups.value_or("none"),
                      where, *row.groups);
}

}  // namespace

std::string gapText(const Gap& gap) { return std::visit(GapPhrases(), gap); }

std::vector<std::string> gapTexts(const std::vector<Gap>& gaps) {
  std::vector<std::string> texts;
  for (const Gap& gap : gaps) texts.push_back(gapText(gap));
  return texts;
}

std::string rowWithoutRanksText(const BudgetRow& row,
                                std::uint32_t world_size) {
  return absl::StrCat("line ", row.line, " of the budget is about ranks ",
                      row.ranks_text, ", but the job had only ", world_size);
}

std::string disagreementText(const Disagreement& disagreement) {
  using What = Disagreement::What;
  const What what = disagreement.what;
  const bool is_call =
      what == What::kCall || what == What::kCount || what == What::kBytes;
  std::string row = disagreement.group.value_or("any");
  if (is_call) {
    absl::StrAppend(&row, " ", disagreement.op.value_or("any"), " ",
                    disagreement.dtype.value_or("any"));
  }
  absl::StrAppend(&row, ", ranks ", disagreement.ranks_text);
  return absl::Substitute(kDisagreements[static_cast<std::size_t>(what)], row);
}

std::vector<std::string> differenceTexts(const StructureRow& row,
                                         const StructureResult& result) {
  std::vector<std::string> texts;
  for (const StructureDifference& difference : result.differences) {
    texts.push_back(differenceText(row, difference));
  }
  return texts;
}

}  // namespace traced
