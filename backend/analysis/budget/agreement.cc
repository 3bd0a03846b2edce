#include "analysis/budget/agreement.h"

#include <algorithm>

namespace traced {
namespace {

using Differing = Disagreement::What;
using LeftOut = std::vector<Disagreement>;

bool isSameCall(const BudgetRow& a, const BudgetRow& b) {
  return a.group == b.group && a.op == b.op && a.dtype == b.dtype &&
         a.ranks_text == b.ranks_text && a.per_step == b.per_step;
}

// Returns the row without figures: the call is expected, but its figures vary
// from run to run.
BudgetRow unjudged(BudgetRow row) {
  row.judged = false;
  row.count.reset();
  row.bytes.reset();
  return row;
}

Disagreement disagreementOn(Differing what, const BudgetRow& row) {
  return {what, row.group, row.op, row.dtype, row.ranks_text};
}

void keepRow(BudgetRow& row, const Budget& other, LeftOut& left_out) {
  if (!row.judged) return;
  const auto same =
      std::find_if(other.rows.begin(), other.rows.end(),
                   [&](const BudgetRow& one) { return isSameCall(row, one); });
  if (same == other.rows.end()) {
    left_out.push_back(disagreementOn(Differing::kCall, row));
    row = unjudged(row);
    return;
  }
  const auto keep = [&](std::optional<std::uint64_t>& figure,
                        const std::optional<std::uint64_t>& of_other,
                        Differing what) {
    if (figure == of_other) return;
    if (figure) left_out.push_back(disagreementOn(what, row));
    figure.reset();
  };
  keep(row.count, same->count, Differing::kCount);
  keep(row.bytes, same->bytes, Differing::kBytes);
  if (!row.count && !row.bytes) row = unjudged(row);
}

bool isSameGroup(const StructureRow& a, const StructureRow& b) {
  return a.group == b.group && a.ranks_text == b.ranks_text;
}

bool keepRow(StructureRow& row, const Budget& other, LeftOut& left_out) {
  const auto leaveOut = [&](Differing what) {
    left_out.push_back({what, row.group, {}, {}, row.ranks_text});
  };
  const auto same = std::find_if(
      other.structure.begin(), other.structure.end(),
      [&](const StructureRow& one) { return isSameGroup(row, one); });
  if (same == other.structure.end()) {
    leaveOut(Differing::kStructure);
    return false;
  }
  const auto keepEqual = [&](auto& value, const auto& of_other,
                             Differing what) {
    if (value == of_other) return;
    if (value) leaveOut(what);
    value.reset();
  };
  GroupStructure& mine = row.structure;
  const GroupStructure& others = same->structure;
  keepEqual(row.groups, same->groups, Differing::kGroups);
  keepEqual(mine.order, others.order, Differing::kOrder);
  keepEqual(mine.together, others.together, Differing::kTogether);
  keepEqual(mine.waited_at_once, others.waited_at_once,
            Differing::kWaitedAtOnce);
  return row.groups || mine != GroupStructure();
}

}  // namespace

void keepAgreed(Budget& budget, const Budget& other,
                std::vector<Disagreement>& left_out) {
  for (BudgetRow& row : budget.rows) keepRow(row, other, left_out);
  std::erase_if(budget.structure, [&](StructureRow& row) {
    return !keepRow(row, other, left_out);
  });
  // Calls that only `other` makes are also not agreed on.
  for (const BudgetRow& row : other.rows) {
    const bool known =
        std::any_of(budget.rows.begin(), budget.rows.end(),
                    [&](const BudgetRow& one) { return isSameCall(row, one); });
    if (known) continue;
    left_out.push_back(disagreementOn(Differing::kCall, row));
    budget.rows.push_back(unjudged(row));
  }
}

}  // namespace traced
