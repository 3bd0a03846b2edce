#include "c10d/values/value_rows.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "c10d/values/tensor_memory.h"

namespace traced {
namespace {

void fill(const Statistics& statistics, StatisticsRow& row) {
  row.elements = statistics.elements;
  row.nan = statistics.nan;
  row.infinite = statistics.infinite;
  row.zero = statistics.zero;
  row.subnormal = statistics.subnormal;
  row.saturated = statistics.saturated;
  if (statistics.finite() == 0) return;
  row.minimum_bits = std::bit_cast<std::uint64_t>(statistics.minimum);
  row.maximum_bits = std::bit_cast<std::uint64_t>(statistics.maximum);
  row.mean_bits = std::bit_cast<std::uint64_t>(statistics.mean());
  row.norm_bits = std::bit_cast<std::uint64_t>(statistics.norm());
}

template <typename Row>
Row rowAt(ExaminedAt at, SkipReason reason) {
  Row row;
  row.at = static_cast<std::uint32_t>(at);
  row.skipped = static_cast<std::uint32_t>(reason);
  return row;
}

HashRow hashRow(const TensorPart& part, ExaminedAt at, bool with_sum) {
  const PartHash hash = hashOf(part, with_sum);
  auto row = rowAt<HashRow>(at, hash.skipped);
  row.tensor = part.index;
  row.rank_plus_1 = part.rank_plus_1;
  row.bytes = byteSize(part);
  row.hash = hash.hash;
  if (hash.sum) {
    row.summed = 1;
    row.sum_bits = hash.sum->bits;
    row.norm_bits = std::bit_cast<std::uint64_t>(hash.sum->norm);
  }
  return row;
}

// Adds a row for each part, or one for all if all are skipped for one reason.
void addHashes(const ExaminedTensors& tensors, std::vector<HashRow>& rows) {
  const auto before = static_cast<std::ptrdiff_t>(rows.size());
  if (tensors.hashed.cut) {
    rows.push_back(rowAt<HashRow>(tensors.at, SkipReason::kTooMany));
  }
  for (const TensorPart& part : tensors.hashed.parts) {
    rows.push_back(hashRow(part, tensors.at, tensors.with_sums));
  }
  const auto first = rows.begin() + before;
  const bool alike = std::all_of(first, rows.end(), [&](const HashRow& row) {
    return row.skipped != 0 && row.skipped == first->skipped;
  });
  if (alike && first != rows.end()) rows.erase(first + 1, rows.end());
}

void addStatistics(const ExaminedTensors& tensors,
                   std::vector<StatisticsRow>& rows) {
  if (tensors.summarized.cut) {
    rows.push_back(rowAt<StatisticsRow>(tensors.at, SkipReason::kTooMany));
  }
  for (const TensorPart& whole : tensors.summarized.parts) {
    const TensorStatistics found = statisticsOf(whole);
    auto row = rowAt<StatisticsRow>(tensors.at, found.skipped);
    row.tensor = whole.index;
    fill(found.statistics, row);
    rows.push_back(row);
  }
}

}  // namespace

ValueRows rowsOf(const std::vector<ExaminedTensors>& tensors) {
  ValueRows rows;
  for (const ExaminedTensors& each : tensors) {
    addHashes(each, rows.hashes);
    addStatistics(each, rows.statistics);
  }
  return rows;
}

void ValueRecorder::record(ValueRows rows) const noexcept {
  for (HashRow& row : rows.hashes) {
    row.op = id;
    recorder.hashed(row);
  }
  for (StatisticsRow& row : rows.statistics) {
    row.op = id;
    recorder.summarized(row);
  }
}

void ValueRecorder::recordSkipped(ExaminedAt at,
                                  SkipReason reason) const noexcept {
  if (hashes) {
    auto row = rowAt<HashRow>(at, reason);
    row.op = id;
    recorder.hashed(row);
  }
  if (statistics) {
    auto row = rowAt<StatisticsRow>(at, reason);
    row.op = id;
    recorder.summarized(row);
  }
}

}  // namespace traced
