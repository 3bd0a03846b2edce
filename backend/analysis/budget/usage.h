// Usage: how often a rank called what, and with how many bytes, in each step.

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

// What calls are told apart by. "none" where there is no group or no tensor.
struct UsageKey {
  // As people gave it: groups that are called alike are taken together, so that
  // the data-parallel groups of a mesh are one.
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
  // Of each call the larger of bytes_in and bytes_out.
  std::uint64_t bytes = 0;

  void add(const Usage& other) {
    count += other.count;
    bytes += other.bytes;
  }
  bool operator==(const Usage&) const = default;
};

// What was used in one step. A step that a program begins twice is two.
struct StepUsage {
  // Index into Marks::steps(), absent before the first.
  std::optional<std::size_t> step;
  Usage usage;
};

// What one rank used. Simulated calls are left out.
class RankUsage {
 public:
  explicit RankUsage(const StreamTable& table);

  struct Entry {
    UsageKey key;
    // By step; those without a call are not there.
    std::vector<StepUsage> steps;
  };

  std::uint32_t rank() const { return rank_; }
  const std::vector<Entry>& entries() const { return entries_; }
  // The number of a step.
  std::optional<std::uint64_t> numberOf(const StepUsage& usage) const;
  // The steps that were marked, as often as they were.
  const std::vector<Marks::Step>& steps() const { return steps_; }
  // How many of them are in a range.
  std::uint64_t stepsIn(const StepRange& range) const;

 private:
  std::uint32_t rank_;
  std::vector<Marks::Step> steps_;
  std::vector<Entry> entries_;
};

}  // namespace traced
