// What recording cost the recorded, from the samples that the recorder took of
// itself (docs/cli.md, "info").

#pragma once

#include <cstdint>

#include "analysis/stream/stream_table.h"

namespace traced {

struct OwnCost {
  std::uint64_t samples = 0;
  std::uint64_t sampled_ns = 0;  // the sum over the samples
  // Over all operations of the ranks that have samples: what they took at the
  // mean of their rank, and how long those ranks ran.
  std::uint64_t operations = 0;
  double total_ns = 0;
  std::uint64_t run_ns = 0;

  void add(const OwnCost& other);
  bool known() const { return samples > 0 && operations > 0; }
  double perOperationNs() const {
    return total_ns / static_cast<double>(operations);
  }
  // Of the time of the ranks; 0 when that is not known.
  double shareOfRun() const {
    return run_ns == 0 ? 0 : total_ns / static_cast<double>(run_ns);
  }
};

// Of one rank with this many operations.
OwnCost ownCostOf(const StreamTable& rank, std::uint64_t operations);

}  // namespace traced
