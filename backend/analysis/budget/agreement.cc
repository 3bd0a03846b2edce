#include "analysis/budget/agreement.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace traced {
namespace {

std::string subjectOf(const BudgetRow& row) {
  return absl::StrCat(row.group.value_or("any"), " ", row.op.value_or("any"),
                      " ", row.dtype.value_or("any"), ", ranks ",
                      row.ranks_text);
}

bool isSameCall(const BudgetRow& a, const BudgetRow& b) {
  return a.group == b.group && a.op == b.op && a.dtype == b.dtype &&
         a.ranks_text == b.ranks_text && a.per_step == b.per_step;
}

// What varies by itself is known and not judged.
BudgetRow unjudged(BudgetRow row) {
  row.judged = false;
  row.count.reset();
  row.bytes.reset();
  return row;
}

void keepRow(BudgetRow& row, const Budget& other,
             std::vector<std::string>& left_out) {
  if (!row.judged) return;
  const auto same =
      std::find_if(other.rows.begin(), other.rows.end(),
                   [&](const BudgetRow& one) { return isSameCall(row, one); });
  if (same == other.rows.end()) {
    left_out.push_back(absl::StrCat(subjectOf(row), ": not alike in all runs"));
    row = unjudged(row);
    return;
  }
  const auto keep = [&](std::optional<std::uint64_t>& figure,
                        const std::optional<std::uint64_t>& of_other,
                        const char* what) {
    if (figure == of_other) return;
    if (figure) {
      left_out.push_back(absl::StrCat(what, " of ", subjectOf(row),
                                      ": not equal in all runs"));
    }
    figure.reset();
  };
  keep(row.count, same->count, "count");
  keep(row.bytes, same->bytes, "bytes");
  if (!row.count && !row.bytes) row = unjudged(row);
}

bool isSameGroup(const StructureRow& a, const StructureRow& b) {
  return a.group == b.group && a.ranks_text == b.ranks_text;
}

template <typename T>
void keepEqual(std::optional<T>& value, const std::optional<T>& other,
               const std::string& what, std::vector<std::string>& left_out) {
  if (value == other) return;
  if (value) left_out.push_back(what + ": not equal in all runs");
  value.reset();
}

bool keepRow(StructureRow& row, const Budget& other,
             std::vector<std::string>& left_out) {
  const std::string subject =
      absl::StrCat(row.group, ", ranks ", row.ranks_text);
  const auto same = std::find_if(
      other.structure.begin(), other.structure.end(),
      [&](const StructureRow& one) { return isSameGroup(row, one); });
  if (same == other.structure.end()) {
    left_out.push_back(
        absl::StrCat("structure of ", subject, ": not alike in all runs"));
    return false;
  }
  GroupStructure& mine = row.structure;
  const GroupStructure& others = same->structure;
  keepEqual(row.groups, same->groups, "groups of " + subject, left_out);
  keepEqual(mine.order, others.order, "order of " + subject, left_out);
  keepEqual(mine.together, others.together, "together of " + subject, left_out);
  keepEqual(mine.waited_at_once, others.waited_at_once,
            "waited_at_once of " + subject, left_out);
  return row.groups || mine != GroupStructure();
}

}  // namespace

void keepAgreed(Budget& budget, const Budget& other,
                std::vector<std::string>& left_out) {
  for (BudgetRow& row : budget.rows) keepRow(row, other, left_out);
  std::erase_if(budget.structure, [&](StructureRow& row) {
    return !keepRow(row, other, left_out);
  });
  // What only the other has is as little agreed on.
  for (const BudgetRow& row : other.rows) {
    const bool known =
        std::any_of(budget.rows.begin(), budget.rows.end(),
                    [&](const BudgetRow& one) { return isSameCall(row, one); });
    if (known) continue;
    left_out.push_back(absl::StrCat(subjectOf(row), ": not alike in all runs"));
    budget.rows.push_back(unjudged(row));
  }
}

}  // namespace traced
