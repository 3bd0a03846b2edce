// Predicts one more value of a sample.

#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace traced::whatif {

struct PredictionInterval {
  double low = 0;
  double high = 0;
};

// Returns an interval that holds the next value of a normal distribution with
// a probability of 99.9 %, given earlier values and their weights.
// nullopt for fewer than eight, because the distribution of so few is unknown.
std::optional<PredictionInterval> predictNext(
    const std::vector<double>& values, const std::vector<double>& weights);

// Returns the quantile 0.9995 of Student's t distribution. `freedom` must be at
// least 1.
double studentQuantile(std::size_t freedom);

}  // namespace traced::whatif
