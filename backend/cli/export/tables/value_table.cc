#include "cli/export/tables/value_table.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "analysis/stream/names.h"
#include "analysis/stream/operations_by_id.h"

namespace traced {
namespace {

using R = const ValueRow&;

template <auto kHash, auto kStatistics>
std::uint32_t either(R row) {
  return row.hash ? row.hash->*kHash : row.statistics->*kStatistics;
}

template <auto kField>
CellValue hashCell(R row) {
  if (!row.hash || row.hash->skipped != 0) return {};
  return static_cast<std::int64_t>(row.hash->*kField);
}

template <auto kField>
CellValue statisticsCell(R row) {
  if (!row.statistics || row.statistics->skipped != 0) return {};
  return countCell(row.statistics->*kField);
}

// Returns whether the row has statistics with a finite element.
bool hasFinite(R row) {
  return row.statistics && row.statistics->skipped == 0 &&
         row.statistics->elements >
             row.statistics->nan + row.statistics->infinite;
}

template <auto kBits>
CellValue realCell(R row) {
  if (!hasFinite(row)) return {};
  const auto real = std::bit_cast<double>(row.statistics->*kBits);
  return std::isfinite(real) ? CellValue(real) : CellValue();
}

// Returns the global rank of the other side of a part; absent if it is all
// members, or the root or peer of the operation.
CellValue partRank(R row) {
  if (!row.hash || row.hash->rank_plus_1 == 0) return {};
  const auto rank = row.group.members.at(row.hash->rank_plus_1 - 1);
  return rank ? countCell(*rank) : CellValue();
}

CellValue absoluteMaximum(R row) {
  const CellValue least = realCell<&StatisticsRow::minimum_bits>(row);
  const CellValue most = realCell<&StatisticsRow::maximum_bits>(row);
  if (!std::holds_alternative<double>(least) ||
      !std::holds_alternative<double>(most)) {
    return {};
  }
  return std::max(std::abs(std::get<double>(least)),
                  std::abs(std::get<double>(most)));
}

}  // namespace

const TableOf<ValueRow>& valueTable() {
  using S = StatisticsRow;
  static const TableOf<ValueRow> table(
      "values", "a hash or the statistics of a tensor of an operation",
      {{"rank", [](R r) { return countCell(r.table.header.rank()); }},
       {"step", [](R r) { return numberCell(r.table.marks.stepOf(r.op.id)); }},
       {"op_id", [](R r) { return countCell(r.op.id); }},
       {"group_label", [](R r) { return textCell(r.group_label); }},
       {"op", [](R r) { return textCell(nameOf(r.call.op())); }},
       {"seq", [](R r) { return countUnlessZero(r.op.seq); }},
       {"examined_at",
        [](R r) {
          return textCell(nameOf(
              static_cast<v1::ExaminedAt>(either<&HashRow::at, &S::at>(r))));
        }},
       {"tensor",
        [](R r) {
          return countCell(
              std::uint64_t{either<&HashRow::tensor, &S::tensor>(r)});
        }},
       {"skipped",
        [](R r) {
          const auto reason = static_cast<v1::SkipReason>(
              either<&HashRow::skipped, &S::skipped>(r));
          return reason ? textCell(nameOf(reason)) : CellValue();
        }},
       {"part_rank", partRank},
       {"part_bytes", hashCell<&HashRow::bytes>},
       {"hash", hashCell<&HashRow::hash>},
       {"elements", statisticsCell<&S::elements>},
       {"nan", statisticsCell<&S::nan>},
       {"infinite", statisticsCell<&S::infinite>},
       {"zero", statisticsCell<&S::zero>},
       {"subnormal", statisticsCell<&S::subnormal>},
       {"saturated", statisticsCell<&S::saturated>},
       {"minimum", realCell<&S::minimum_bits>},
       {"maximum", realCell<&S::maximum_bits>},
       {"absolute_maximum", absoluteMaximum},
       {"mean", realCell<&S::mean_bits>},
       {"norm", realCell<&S::norm_bits>}},
      {"rank", "op_id"});
  return table;
}

void ValueTable::add(const StreamTable& table) {
  if (!wanted_ || (table.hashes.empty() && table.statistics.empty())) return;
  const OperationsById by_id(table);
  const std::vector<std::uint32_t> indices =
      groups_.find(table.header.attempt(), table.definitions.groups());
  const auto add = [&](std::uint64_t id, const HashRow* hash,
                       const StatisticsRow* statistics) {
    const AssembledOperation* op = by_id.find(id);
    const v1::Call* call = op ? table.callOf(*op) : nullptr;
    const std::uint32_t local =
        call ? table.groupOf(*call) : StreamDefinitions::kNone;
    if (local == StreamDefinitions::kNone) return;
    const GroupDefinition& group = table.definitions.groups()[local];
    file_.add(valueTable(), {table, *op, *call, groups_.label(indices[local]),
                             group, hash, statistics});
  };
  for (const HashRow& row : table.hashes) add(row.op, &row, nullptr);
  for (const StatisticsRow& row : table.statistics) add(row.op, nullptr, &row);
}

}  // namespace traced
