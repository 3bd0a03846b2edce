// Usage counts the calls of a rank and their bytes, by kind of call and step.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/figures/step_range.h"
#include "analysis/stream/stream_table.h"

namespace traced {

// Identifies a kind of call. Fields are "none" for calls without a group or
// tensor.
struct UsageKey {
  // The label set by the program. Groups with equal labels are summed, so the
  // data-parallel groups of a mesh count as one.
  std::string group;
  std::string op;
  std::string dtype;

  auto operator<=>(const UsageKey&) const = default;
  template <typename H>
  friend H AbslHashValue(H hash, const UsageKey& key) {
    return H::combine(std::move(hash), key.group, key.op, key.dtype);
  }
};

struct Usage {
  std::uint64_t count = 0;
  // Sum over calls of the larger of bytes_in and bytes_out.
  std::uint64_t bytes = 0;

  void add(const Usage& other) {
    count += other.count;
    bytes += other.bytes;
  }
  bool operator==(const Usage&) const = default;
};

// Usage in one step. A step number that the program begins twice counts as two
// steps.
struct StepUsage {
  // Index into Marks::steps(); absent for calls before the first step.
  std::optional<std::size_t> step;
  Usage usage;
};

// RankUsage holds the usage of one rank. Simulated calls are left out.
class RankUsage {
 public:
  explicit RankUsage(const StreamTable& table);

  struct Entry {
    UsageKey key;
    // Steps with at least one such call, in order.
    std::vector<StepUsage> steps;
  };

  std::uint32_t rank() const { return rank_; }
  const std::vector<Entry>& entries() const { return entries_; }
  // Returns the step's number, as marked by the program.
  std::optional<std::uint64_t> numberOf(const StepUsage& usage) const;
  // All marked steps in order. A number may repeat.
  const std::vector<Marks::Step>& steps() const { return steps_; }
  // Returns how many marked steps are in `range`.
  std::uint64_t stepsIn(const StepRange& range) const;

 private:
  std::uint32_t rank_;
  std::vector<Marks::Step> steps_;
  std::vector<Entry> entries_;
};

}  // namespace traced
