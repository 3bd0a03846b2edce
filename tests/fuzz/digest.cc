// What a chunk of a digest says: it is refused, or reported.

#include <string>
#include <string_view>

#include "analysis/digest/call_order.h"
#include "analysis/digest/digest_adder.h"
#include "analysis/digest/digest_rows.h"
#include "analysis/digest/stream_facts.h"
#include "fuzz/target.h"
#include "trace_io/payload_guard.h"

using namespace traced;
using traced::testing::require;

namespace {

// A report of one stream, by the keys that fold most and least.
void report(const FactsOfStream& facts, const v1::StreamDigest& digest,
            const std::vector<DigestRow>& rows) {
  GroupCatalog catalog;
  const auto groups = catalog.add(0, facts.table.definitions.groups());
  CallOrders orders;
  orders.add(digest, facts.table, groups);
  require(orders.differences(catalog).empty(), "a rank differs from others");
  for (const bool folds : {false, true}) {
    const GroupRoles roles(catalog);
    const DigestReportPlan plan{
        folds ? std::vector{ReportKey::kGroup}
              : std::vector{ReportKey::kOp, ReportKey::kSize},
        catalog, folds ? &roles : nullptr};
    const ReportPlan no_plan{.keys = RowKeys({}, nullptr)};
    ReportSums sums(no_plan);
    DigestAdder(plan, sums, 0, facts.table, groups).add(rows, digest);
    Report told;
    told.summary.add(facts.table, facts.operations);
    std::move(sums).finish(1, told);
    require(told.rows.size() <= rows.size(), "rows are only taken together");
    for (const ReportRow& row : told.rows) {
      require(row.split.waitForPeers().p50().ns >= 0, "no wait is below 0");
    }
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  v1::Payload payload;
  if (!isModestPayload(bytes, size) ||
      !payload.ParseFromArray(bytes.data(), static_cast<int>(size))) {
    return 0;
  }
  const FactsOfStream facts = readFacts(payload);
  const DigestMeanings meanings{
      [&](std::uint32_t id) { return facts.table.definitions.text(id); },
      [&](std::uint32_t id) { return facts.table.definitions.group(id); },
      facts.table.header.rank()};
  const auto rows = readRows(payload.digest(), meanings);
  if (rows) report(facts, payload.digest(), *rows);
  return 0;
}
