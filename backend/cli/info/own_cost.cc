#include "cli/info/own_cost.h"

namespace traced {

void OwnCost::add(const OwnCost& other) {
  samples += other.samples;
  sampled_ns += other.sampled_ns;
  operations += other.operations;
  total_ns += other.total_ns;
  run_ns += other.run_ns;
}

OwnCost ownCostOf(const StreamTable& rank, std::uint64_t operations) {
  OwnCost cost;
  for (const std::uint64_t count : rank.accounts.own_time_log2_ns()) {
    cost.samples += count;
  }
  if (cost.samples == 0) return {};
  cost.sampled_ns = rank.accounts.own_time_total_ns();
  cost.operations = operations;
  cost.total_ns = static_cast<double>(cost.sampled_ns) /
                  static_cast<double>(cost.samples) *
                  static_cast<double>(operations);
  cost.run_ns = static_cast<std::uint64_t>(rank.runNs());
  return cost;
}

}  // namespace traced
