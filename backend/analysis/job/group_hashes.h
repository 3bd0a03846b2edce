// What the correlation ids of a stream's operations are made from.

#pragma once

#include <cstdint>
#include <vector>

#include "analysis/stream/stream_table.h"

namespace traced {

// The identity of one group, as one number.
std::uint64_t groupHash(std::uint32_t attempt, const GroupDefinition& group);

// Which groups of a stream have such a number: those that others can tell, as
// long as there are not too many members in all.
class HashedMembers {
 public:
  // To be asked about each group, in their order.
  bool canHash(const GroupDefinition& group);

 private:
  std::uint64_t members_ = 0;
};

// The identity of each group of a stream, as one number. 0: the group has none,
// as a dump does not tell all that identifies it.
std::vector<std::uint64_t> groupHashes(const StreamTable& table);

}  // namespace traced
