#include "analysis/statistics/resampling.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

namespace traced {
namespace {

// Statistics that differ by rounding only count as equal.
constexpr double kAlike = 1e-9;
// A fixed seed, so that repeated runs give the same result.
constexpr std::uint64_t kSeed = 20;

// Counter counts, per column, how often chance reaches the observed statistic.
class Counter {
 public:
  explicit Counter(std::vector<double> seen)
      : seen_(std::move(seen)), as_much_(seen_.size(), 0) {}

  void add(double largest) {
    ++ways_;
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      as_much_[i] += largest >= seen_[i] - kAlike;
    }
  }
  // `drawn`: the ways were random, so the observed one counts as one more.
  std::vector<double> finish(bool drawn) const {
    std::vector<double> p;
    for (const std::size_t count : as_much_) {
      p.push_back(static_cast<double>(count + drawn) /
                  static_cast<double>(ways_ + drawn));
    }
    return p;
  }

 private:
  std::vector<double> seen_;
  std::vector<std::size_t> as_much_;
  std::size_t ways_ = 0;
};

// Scales columns so that the square of a signed sum is r. Columns of zeros stay
// unchanged.
Columns scaledForFlips(Columns columns) {
  for (std::vector<double>& column : columns) {
    double squares = 0;
    for (const double value : column) squares += value * value;
    if (squares == 0) continue;
    const double scale =
        1 / std::sqrt(squares * static_cast<double>(column.size()));
    for (double& value : column) value *= scale;
  }
  return columns;
}

double squareOfSum(const std::vector<double>& column) {
  const double sum = std::accumulate(column.begin(), column.end(), 0.0);
  return sum * sum;
}

// Visits all sign combinations in Gray code order: each differs from the
// previous one in a single sign, so a sum needs one addition.
void flipAll(Columns columns, std::size_t pairs, Counter& counter) {
  std::vector<double> sums;
  for (const std::vector<double>& column : columns) {
    sums.push_back(std::accumulate(column.begin(), column.end(), 0.0));
  }
  const std::size_t ways = std::size_t{1} << pairs;
  for (std::size_t way = 1;; ++way) {
    double largest = 0;
    for (const double sum : sums) largest = std::max(largest, sum * sum);
    counter.add(largest);
    if (way == ways) return;
    std::size_t changed = 0;
    while ((way >> changed) % 2 == 0) ++changed;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      sums[i] -= 2 * columns[i][changed];
      columns[i][changed] = -columns[i][changed];
    }
  }
}

void flipAtRandom(const Columns& columns, std::size_t pairs, Counter& counter) {
  std::mt19937_64 random(kSeed);
  std::vector<double> signs(pairs);
  for (std::size_t way = 0; way < kMaxResamplings; ++way) {
    for (double& sign : signs) sign = random() >> 63 ? 1 : -1;
    double largest = 0;
    for (const std::vector<double>& column : columns) {
      const double sum =
          std::inner_product(column.begin(), column.end(), signs.begin(), 0.0);
      largest = std::max(largest, sum * sum);
    }
    counter.add(largest);
  }
}

// Returns both samples minus their common mean, scaled so that the squared sum
// of the first is r.
std::vector<double> pooled(const std::vector<double>& before,
                           const std::vector<double>& after) {
  std::vector<double> all = before;
  all.insert(all.end(), after.begin(), after.end());
  const auto size = static_cast<double>(all.size());
  const double mean = std::accumulate(all.begin(), all.end(), 0.0) / size;
  double squares = 0;
  for (double& value : all) {
    value -= mean;
    squares += value * value;
  }
  // If all values are equal, the remainder is rounding error.
  if (squares <= kAlike * kAlike * mean * mean) {
    return std::vector<double>(all.size(), 0.0);
  }
  const double scale = std::sqrt(size / static_cast<double>(before.size()) /
                                 static_cast<double>(after.size()) / squares);
  for (double& value : all) value *= scale;
  return all;
}

double largestOf(const Columns& columns, const std::vector<bool>& first) {
  double largest = 0;
  for (const std::vector<double>& column : columns) {
    double sum = 0;
    for (std::size_t i = 0; i < column.size(); ++i) {
      if (first[i]) sum += column[i];
    }
    largest = std::max(largest, sum * sum);
  }
  return largest;
}

// Returns n over k, or `most` + 1 if it is larger than `most`.
std::size_t waysToChoose(std::size_t n, std::size_t k, std::size_t most) {
  double ways = 1;
  for (std::size_t i = 1; i <= k; ++i) {
    ways = ways * static_cast<double>(n - k + i) / static_cast<double>(i);
    if (ways > static_cast<double>(most)) return most + 1;
  }
  return static_cast<std::size_t>(std::llround(ways));
}

void relabelAll(const Columns& columns, std::vector<bool> first,
                Counter& counter) {
  // Starts with the largest arrangement, so prev_permutation() visits all and
  // ends after the smallest.
  do {
    counter.add(largestOf(columns, first));
  } while (std::prev_permutation(first.begin(), first.end()));
}

void relabelAtRandom(const Columns& columns, std::vector<bool> first,
                     Counter& counter) {
  std::mt19937_64 random(kSeed);
  for (std::size_t way = 0; way < kMaxResamplings; ++way) {
    for (std::size_t i = first.size(); i > 1; --i) {
      const bool kept = first[i - 1];
      const std::size_t other = random() % i;
      first[i - 1] = first[other];
      first[other] = kept;
    }
    counter.add(largestOf(columns, first));
  }
}

}  // namespace

std::vector<double> signFlipTest(const Columns& differences) {
  if (differences.empty()) return {};
  const std::size_t pairs = differences.front().size();
  const Columns columns = scaledForFlips(differences);
  std::vector<double> seen;
  for (const auto& column : columns) seen.push_back(squareOfSum(column));
  Counter counter(std::move(seen));
  const bool all = pairs < 64 && std::size_t{1} << pairs <= kMaxResamplings;
  if (all) {
    flipAll(columns, pairs, counter);
  } else {
    flipAtRandom(columns, pairs, counter);
  }
  return counter.finish(!all);
}

std::vector<double> relabelTest(const Columns& before, const Columns& after) {
  if (before.empty()) return {};
  const std::size_t m = before.front().size();
  const std::size_t n = after.front().size();
  Columns columns;
  for (std::size_t i = 0; i < before.size(); ++i) {
    columns.push_back(pooled(before[i], after[i]));
  }
  std::vector<bool> first(m + n, false);
  std::fill_n(first.begin(), m, true);
  std::vector<double> seen;
  for (const auto& column : columns) {
    seen.push_back(largestOf({column}, first));
  }
  Counter counter(std::move(seen));
  const bool all = waysToChoose(m + n, m, kMaxResamplings) <= kMaxResamplings;
  if (all) {
    relabelAll(columns, std::move(first), counter);
  } else {
    relabelAtRandom(columns, std::move(first), counter);
  }
  return counter.finish(!all);
}

double minSignFlipP(std::size_t pairs) {
  if (pairs == 0) return 1;
  const double least = std::ldexp(1.0, 1 - static_cast<int>(pairs));
  return std::max(least, 1.0 / static_cast<double>(kMaxResamplings + 1));
}

double leastRelabelP(std::size_t before, std::size_t after) {
  if (before == 0 || after == 0) return 1;
  const std::size_t ways =
      waysToChoose(before + after, before, kMaxResamplings);
  if (ways > kMaxResamplings) {
    return 1.0 / static_cast<double>(kMaxResamplings + 1);
  }
  // With equal sides, exchanging all labels gives the same statistic.
  const double same = before == after ? 2 : 1;
  return std::min(1.0, same / static_cast<double>(ways));
}

std::vector<double> holmAdjusted(const std::vector<double>& p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<double> adjusted(p.size());
  double largest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto left = static_cast<double>(order.size() - i);
    largest = std::max(largest, std::min(1.0, left * p[order[i]]));
    adjusted[order[i]] = largest;
  }
  return adjusted;
}

}  // namespace traced
