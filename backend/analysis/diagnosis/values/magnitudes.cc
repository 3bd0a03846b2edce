#include "analysis/diagnosis/values/magnitudes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "analysis/diagnosis/values/tensor_types.h"
#include "base/examined.h"

namespace traced {
namespace {

constexpr double kFactor = 16;
constexpr std::size_t kQuarters = 4;
constexpr std::size_t kMinOperations = 32;
constexpr std::size_t kMaxOperations = 1000;
constexpr std::uint64_t kMinSaturated = 3;
constexpr double kSaturatedShare = 0.01;

// The inputs of one call with one number.
struct Series {
  v1::DType dtype = v1::DTYPE_UNSPECIFIED;
  bool is_reduction = false;
  // The largest absolute value of each of the last operations.
  std::deque<std::pair<double, const AssembledOperation*>> maxima;
  SaturatedInputs saturated;

  void add(const AssembledOperation& op, const StatisticsRow& row) {
    maxima.emplace_back(
        std::max(std::abs(std::bit_cast<double>(row.minimum_bits)),
                 std::abs(std::bit_cast<double>(row.maximum_bits))),
        &op);
    if (maxima.size() > kMaxOperations) maxima.pop_front();
    if (!is_reduction || !isSaturated(row)) return;
    saturated.last = &op;
    saturated.dtype = dtype;
    ++saturated.operations;
    saturated.saturated += row.saturated;
    saturated.elements += row.elements;
  }
  std::optional<GrowingInputs> growing() const {
    if (maxima.size() < kMinOperations) return std::nullopt;
    std::array<std::pair<double, const AssembledOperation*>, kQuarters>
        of_quarters{};
    for (std::size_t i = 0; i < maxima.size(); ++i) {
      auto& quarter = of_quarters[i * kQuarters / maxima.size()];
      if (maxima[i].first >= quarter.first) quarter = maxima[i];
    }
    const bool rises =
        std::adjacent_find(of_quarters.begin(), of_quarters.end(),
                           [](const auto& a, const auto& b) {
                             return a.first >= b.first;
                           }) == of_quarters.end();
    const double first = of_quarters.front().first;
    const double end = of_quarters.back().first;
    if (!rises || end < kFactor * first || end < largestOf(dtype) / kFactor) {
      return std::nullopt;
    }
    return GrowingInputs{of_quarters.back().second, dtype, first, end};
  }

 private:
  bool isSaturated(const StatisticsRow& row) const {
    switch (dtype) {
      case v1::DTYPE_FLOAT16:
      case v1::DTYPE_BFLOAT16:
        return row.saturated > 0;
      case v1::DTYPE_FLOAT32:
      case v1::DTYPE_FLOAT64:
        return false;
      default:
        return static_cast<double>(row.saturated) >
               kSaturatedShare * static_cast<double>(row.elements);
    }
  }
};

}  // namespace

Magnitudes magnitudesOf(const ExaminedStream& stream) {
  const StreamTable& table = stream.table();
  // By call and tensor.
  std::map<std::pair<std::uint32_t, std::uint32_t>, Series> all;
  for (const StatisticsRow& row : table.statistics) {
    const AssembledOperation* op = stream.operations().any(row.op);
    const v1::Call* call = op ? table.callOf(*op) : nullptr;
    const bool has_finite = row.elements > row.nan + row.infinite;
    if (!call || row.skipped != 0 || !has_finite ||
        !isAt(row, ExaminedAt::kIssue)) {
      continue;
    }
    const v1::DType dtype = inputType(*call, row.tensor);
    if (largestOf(dtype) == 0) continue;
    Series& series = all[{op->call, row.tensor}];
    series.dtype = dtype;
    series.is_reduction = call->reduce_op() != v1::REDUCE_OP_UNSPECIFIED;
    series.add(*op, row);
  }
  Magnitudes found;
  for (const auto& [key, series] : all) {
    if (const auto growing = series.growing())
      found.growing.push_back(*growing);
    if (series.saturated.operations >= kMinSaturated) {
      found.saturated.push_back(series.saturated);
    }
  }
  return found;
}

}  // namespace traced
