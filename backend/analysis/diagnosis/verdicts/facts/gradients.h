// Facts about gradients that ranks never exchange.

#pragma once

#include "analysis/diagnosis/verdicts/facts/shared.h"

namespace traced {

// Sets of ranks that reduce equal gradients, each among itself.
struct GradientIslands {
  // All have the same size.
  std::vector<Ranks> islands;
};
// What a rank reduces in each of a number of cycles. `calls` and `bytes` are
// means.
struct GradientsReduced {
  std::uint32_t rank = 0;
  std::uint32_t group = 0;
  std::string call;
  // "" if unknown.
  std::string site;
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  std::uint64_t cycles = 0;
};
// The metric that the sets share in each of these cycles.
struct MetricShared {
  std::uint32_t group = 0;
  std::string call;
  std::string site;
};
struct JoiningGroupUnused {
  std::uint32_t group = 0;
};

// A group that gathers parameters in backward and reduces nothing.
struct OnlyGathered {
  std::uint32_t group = 0;
  Ranks ranks;
};
// `calls` and `bytes` are means per step.
struct GatheredInBackward {
  std::uint32_t rank = 0;
  std::string call;
  std::string site;
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  std::uint64_t steps = 0;
};

using GradientFact =
    std::variant<GradientIslands, GradientsReduced, MetricShared,
                 JoiningGroupUnused, OnlyGathered, GatheredInBackward>;

}  // namespace traced
