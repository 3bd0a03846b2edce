// DigestRow is what a digest has of operations of one stream that are alike.

#pragma once

#include <cstdint>
#include <string>

#include "analysis/report/report.h"
#include "analysis/report/row_samples.h"

namespace traced {

struct DigestRow {
  // As a report tells them; see RowKeys.
  std::string op;
  std::string dtype;
  std::string size;
  // Index into the stream's groups, or StreamDefinitions::kNone.
  std::uint32_t group = 0;
  // But for unseen_at_most_ns: that of rows taken together is not their sum.
  CallTotals totals;
  RowSamples samples;
  SplitTotals split;
};

// Calls visit(figure) for what `totals` has, in the order of v1::DigestFigure.
template <typename Totals, typename Visit>
void forEachFigure(Totals& totals, Visit&& visit) {
  const auto visitSum = [&visit](auto& sum) {
    visit(sum.count);
    visit(sum.total_ns);
  };
  visit(totals.calls);
  visit(totals.bytes_in);
  visit(totals.bytes_out);
  visit(totals.bytes);
  visitSum(totals.host);
  visitSum(totals.completion);
  visitSum(totals.wait);
  visit(totals.ends_at_wait);
  visit(totals.ends_by_future);
  visit(totals.ends_at_hook);
  visit(totals.ends_unknown);
  visit(totals.ends_with_batch);
  visit(totals.failed);
  visit(totals.captured);
  visit(totals.waits_unknown);
  visitSum(totals.split.wait_for_peers);
  visitSum(totals.split.transfer);
  visitSum(totals.split.exposed);
  visitSum(totals.split.slack);
  visit(totals.split.wait_uncertain_ns);
  visit(totals.split.arrivals);
  visitSum(totals.split.last);
  visit(totals.split.withheld);
}

}  // namespace traced
