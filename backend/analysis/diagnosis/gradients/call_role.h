// Classifies a call by what it can do to gradients, from its arguments alone.

#pragma once

#include <cstdint>

#include "analysis/job/signature.h"

namespace traced {

// Up to this size, data may be a metric, such as a loss or a number of tokens.
inline constexpr std::uint64_t kMaxMetricBytes = 128;

struct CallRole {
  // It sums or averages floats. Gradients are reduced like this.
  bool reduces = false;
  // All ranks get the floats of all. Sharded parameters are gathered like this.
  bool gathers = false;
  // One rank gives data to the others, as in initialisation.
  bool is_from_root = false;
  // It moves more than a metric.
  bool moves_data = false;
  // It sums or averages a metric.
  bool sums_metric = false;
};

CallRole roleOf(const Signature& signature);

}  // namespace traced
