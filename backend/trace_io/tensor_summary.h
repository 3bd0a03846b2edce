// The statistics of several tensors together (TRACED_VALUES=stats).

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "trace_io/row.h"

namespace traced {

class TensorSummary {
 public:
  // Infinities and NaN are left out.
  struct Finite {
    double mean = 0;
    double minimum = 0;
    double maximum = 0;
  };

  // Ignores a tensor that was not examined.
  void add(const StatisticsRow& row);
  void add(const TensorSummary& other);

  std::uint64_t elements() const { return elements_; }
  std::uint64_t nan() const { return nan_; }
  std::uint64_t infinite() const { return infinite_; }
  // Absent without finite elements.
  std::optional<Finite> finite() const;

  // Returns "mean 0.01, min -3, max 3, 2 NaN", or "" without elements.
  std::string text() const;

 private:
  std::uint64_t elements_ = 0;
  std::uint64_t nan_ = 0;
  std::uint64_t infinite_ = 0;
  double finite_ = 0;
  double sum_ = 0;
  double minimum_ = 0;
  double maximum_ = 0;
};

}  // namespace traced
