// RankGradients holds what one rank did with gradients and sharded parameters.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/job/group_catalog.h"
#include "analysis/job/signature.h"

namespace traced {

// The first of many similar calls.
struct FirstCall {
  std::uint32_t group = GroupCatalog::kNone;
  std::uint64_t seq = 0;
  Signature call;
  // Such as "/job/train.py:12 in main"; "" if unknown.
  std::string site;
};

// The rank's reductions of gradients, divided by sums of a metric in one group.
struct MetricCycles {
  // Number of cycles whose reductions are compared between ranks.
  static constexpr std::size_t kMaxCompared = 64;

  FirstCall metric;
  // Number of cycles, each with at least one reduction of gradients before its
  // sum.
  std::uint64_t count = 0;
  // After each of the first cycles, a number for all reductions so far.
  std::vector<std::uint64_t> hashes;
  std::uint64_t reductions_before = 0;
};

// What a rank did in one group of several members.
struct GroupGathers {
  std::uint32_t group = GroupCatalog::kNone;
  // Parameters gathered in backward: the calls, their bytes, and the steps of
  // an optimizer with some.
  FirstCall first;
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  std::uint64_t steps = 0;
  std::size_t last_step = ~std::size_t{0};
};

struct RankGradients {
  // Maximum number of groups whose metrics divide the rank's reductions.
  static constexpr std::size_t kMaxMetrics = 8;

  // False if operations may be missing or run unrecorded.
  bool is_complete = true;
  // Reductions of gradients.
  std::optional<FirstCall> first;
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  std::vector<MetricCycles> cycles;
  std::vector<GroupGathers> gathers;

  // Returns nullptr if the group's metrics do not divide its reductions.
  const MetricCycles* cyclesOf(std::uint32_t group) const {
    for (const MetricCycles& each : cycles) {
      if (each.metric.group == group) return &each;
    }
    return nullptr;
  }
};

}  // namespace traced
