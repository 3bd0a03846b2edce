// Where the programs of two ranks agree, and where they part.

#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/diagnosis/program/program_calls.h"

namespace traced {

// A stretch of calls that both made one after the other.
struct Agreement {
  // In the one that is compared with: [begin, end).
  std::size_t begin = 0;
  std::size_t end = 0;
  // The same end in the other.
  std::size_t other_end = 0;

  bool covers(std::size_t index) const { return index >= begin && index < end; }
};

// One program that others are compared with; it outlives this.
class ProgramIndex {
 public:
  explicit ProgramIndex(const ProgramCalls& program);

  const ProgramCalls& program() const { return program_; }
  // In the order of the other's calls.
  std::vector<Agreement> agreementsWith(const ProgramCalls& other) const;

 private:
  const ProgramCalls& program_;
  // By role and number.
  absl::flat_hash_map<std::pair<std::uint32_t, std::uint64_t>, std::size_t>
      place_;
};

}  // namespace traced
