#include "trace_io/tensor_summary.h"

#include <algorithm>
#include <bit>

#include "base/number_text.h"

namespace traced {

void TensorSummary::add(const StatisticsRow& row) {
  // Counts of a damaged or hostile trace may exceed the elements.
  if (row.skipped != 0 || row.nan > row.elements ||
      row.infinite > row.elements - row.nan) {
    return;
  }
  TensorSummary tensor;
  tensor.elements_ = row.elements;
  tensor.nan_ = row.nan;
  tensor.infinite_ = row.infinite;
  tensor.finite_ = static_cast<double>(row.elements - row.nan - row.infinite);
  tensor.sum_ = std::bit_cast<double>(row.mean_bits) * tensor.finite_;
  tensor.minimum_ = std::bit_cast<double>(row.minimum_bits);
  tensor.maximum_ = std::bit_cast<double>(row.maximum_bits);
  add(tensor);
}

void TensorSummary::add(const TensorSummary& other) {
  elements_ += other.elements_;
  nan_ += other.nan_;
  infinite_ += other.infinite_;
  if (other.finite_ == 0) return;
  const bool is_first = finite_ == 0;
  minimum_ = is_first ? other.minimum_ : std::min(minimum_, other.minimum_);
  maximum_ = is_first ? other.maximum_ : std::max(maximum_, other.maximum_);
  finite_ += other.finite_;
  sum_ += other.sum_;
}

std::optional<TensorSummary::Finite> TensorSummary::finite() const {
  if (finite_ == 0) return std::nullopt;
  return Finite{sum_ / finite_, minimum_, maximum_};
}

std::string TensorSummary::text() const {
  constexpr int kDigits = 4;
  std::string text;
  const auto append = [&text](const std::string& part) {
    text += text.empty() ? part : ", " + part;
  };
  if (const auto known = finite()) {
    append("mean " + significantText(known->mean, kDigits));
    append("min " + significantText(known->minimum, kDigits));
    append("max " + significantText(known->maximum, kDigits));
  }
  if (nan_ > 0) append(groupedText(nan_) + " NaN");
  if (infinite_ > 0) append(groupedText(infinite_) + " infinite");
  return text;
}

}  // namespace traced
