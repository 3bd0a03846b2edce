#include "analysis/diagnosis/values/reduction_sum.h"

#include <bit>
#include <cmath>
#include <limits>

#include "base/transfers.h"

namespace traced {
namespace {

constexpr double kBlock = kSignedSumBlock;
constexpr double kDoubleRounding = 0x1p-53;

}  // namespace

std::optional<SummedType> summedType(v1::DType dtype) {
  switch (dtype) {
    case v1::DTYPE_FLOAT32:
      return SummedType{0, 4, 0x1p-24, std::numeric_limits<float>::min()};
    case v1::DTYPE_FLOAT64:
      return SummedType{0, 8, 0x1p-53, std::numeric_limits<double>::min()};
    case v1::DTYPE_INT8:
    case v1::DTYPE_UINT8:
      return SummedType{8, 1};
    case v1::DTYPE_INT16:
    case v1::DTYPE_UINT16:
      return SummedType{16, 2};
    case v1::DTYPE_INT32:
    case v1::DTYPE_UINT32:
      return SummedType{32, 4};
    case v1::DTYPE_INT64:
    case v1::DTYPE_UINT64:
      return SummedType{64, 8};
    default:
      return std::nullopt;
  }
}

PartSum::PartSum(const HashRow& row)
    : is_known(row.summed != 0),
      bits(row.sum_bits),
      norm(std::bit_cast<double>(row.norm_bits)) {}

void ReductionSum::add(const PartSum& input, v1::DType dtype) {
  if (inputs_ == 0) dtype_ = dtype;
  ++inputs_;
  is_unclear_ |= !input.is_known || dtype != dtype_;
  integers_ += input.bits;
  floats_ += std::bit_cast<double>(input.bits);
  norms_ += input.norm;
}

std::optional<bool> ReductionSum::explains(const PartSum& result,
                                           std::uint64_t bytes,
                                           std::uint64_t members) const {
  const auto type = summedType(dtype_);
  if (!type || is_unclear_ || inputs_ != members || !result.is_known) {
    return std::nullopt;
  }
  if (type->bits > 0) {
    return (integers_ - result.bits) << (64 - type->bits) == 0;
  }
  const double sum = std::bit_cast<double>(result.bits);
  const double most =
      tolerance(*type, static_cast<double>(bytes / type->bytes), result.norm);
  if (!std::isfinite(floats_) || !std::isfinite(sum) || !std::isfinite(most)) {
    return std::nullopt;
  }
  return std::abs(floats_ - sum) <= most;
}

double ReductionSum::tolerance(const SummedType& type, double elements,
                               double result_norm) const {
  constexpr double kDeviations = 8;
  const auto members = static_cast<double>(inputs_);
  // Squares of numbers below this are 0 in a norm.
  const double least_seen = std::sqrt(std::numeric_limits<double>::min());
  const double norms =
      norms_ + result_norm + (members + 1) * std::sqrt(elements) * least_seen;
  const double of_reduction =
      kDeviations * (members - 1) * type.rounding * norms;
  // The terms of a sum are together at most the norm times the root of their
  // number.
  const double of_sums = (2 * kBlock + elements / kBlock + members) *
                         kDoubleRounding * std::sqrt(elements) * norms;
  // Numbers may be flushed to zero.
  const double of_small_numbers = members * elements * type.smallest;
  return of_reduction + of_sums + of_small_numbers;
}

}  // namespace traced
