// Describes a process group to the recorder.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/engine_traits.h"

namespace traced {

struct GroupInfo {
  std::string name;
  std::string desc;
  std::string backend;  // the backend's own name: "gloo", "nccl", "ucc"
  // Class that implements the backend. "": torch's own.
  std::string backend_class;
  std::string leg;                     // device type: "cpu", "cuda"
  std::vector<std::uint32_t> members;  // global ranks in group rank order
  std::uint32_t group_rank = 0;

  const EngineTraits& engine() const {
    return engineTraits(backend, backend_class);
  }
};

// The ranks first, first + stride, ..., `count` in total.
struct RankRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::int32_t stride = 0;

  bool operator==(const RankRange&) const = default;
};

// Compresses an ordered member list into ranges: greedy runs with a constant
// stride.
std::vector<RankRange> toRanges(const std::vector<std::uint32_t>& members);

}  // namespace traced
