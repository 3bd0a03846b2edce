// ReductionSum decides whether the inputs of a reduction add up to a result,
// from their sums with random signs (backend/values/signed_sum.h).

#pragma once

#include <cstdint>
#include <optional>

#include "trace_io/row.h"
#include "traced/v1/definitions.pb.h"

namespace traced {

// A type whose additions are exact, or round each result.
struct SummedType {
  // The size of an integer type; 0 for a floating-point type.
  int bits = 0;
  std::uint64_t bytes = 0;
  // Largest relative error of one addition, and smallest normal number.
  double rounding = 0;
  double smallest = 0;
};

// Absent for types without sums.
std::optional<SummedType> summedType(v1::DType dtype);

// The sum of one rank's input or result.
struct PartSum {
  bool is_known = false;
  std::uint64_t bits = 0;
  double norm = 0;

  explicit PartSum(const HashRow& row);
};

class ReductionSum {
 public:
  // Adds the input of one more rank.
  void add(const PartSum& input, v1::DType dtype);

  // Returns whether the inputs of `members` ranks add up to a result of this
  // size, as far as rounding lets it be known. Absent if some input is unknown
  // or not finite, or if the types differ.
  //
  // If they do add up, the answer is false once in 10^13 at most. Each of the
  // additions of an element has a relative error of at most `rounding`. By
  // Hoeffding's inequality, their sum with independent random signs exceeds
  // t times the root of the sum of their squares with a probability of at most
  // 2 exp(-t^2 / 2). Norms bound that root.
  std::optional<bool> explains(const PartSum& result, std::uint64_t bytes,
                               std::uint64_t members) const;

 private:
  // Returns the largest difference that rounding explains.
  double tolerance(const SummedType& type, double elements,
                   double result_norm) const;

  v1::DType dtype_ = v1::DTYPE_UNSPECIFIED;
  std::uint64_t inputs_ = 0;
  bool is_unclear_ = false;
  std::uint64_t integers_ = 0;
  double floats_ = 0;
  double norms_ = 0;
};

}  // namespace traced
