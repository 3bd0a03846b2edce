#include "analysis/report/parent_calls.h"

#include "analysis/stream/function_calls.h"

namespace traced {

void ParentCalls::add(const AssembledOperation& op, const void* row,
                      CallTotals& totals) {
  const v1::Context* context = table_.contextOf(op);
  if (!context || context->parent().empty()) return;
  const auto [entry, is_new] =
      parents_.try_emplace({row, context->parent_number()});
  Parent& parent = entry->second;
  if (is_new) {
    parent = {&totals, op.issued, op.issued};
    ++totals.parents;
  }
  // Operations of a call follow one another.
  const Instant from =
      op.issued.isAfter(parent.until) ? op.issued : parent.until;
  for (const Instant at : {op.returned, op.ended, op.wait_ended}) {
    if (at.isAfter(parent.until)) parent.until = at;
  }
  parent.inside_ns += between(from, parent.until).value_or(0);
}

void ParentCalls::finish() {
  if (parents_.empty()) return;
  const auto took_ns = objectCallsNs(table_);
  for (const auto& [key, parent] : parents_) {
    const auto took = took_ns.find(key.second);
    parent.totals->parents_ns +=
        took == took_ns.end() ? between(parent.from, parent.until).value_or(0)
                              : took->second;
    parent.totals->parents_inside_ns += parent.inside_ns;
  }
}

}  // namespace traced
