// MissingRanks sorts who has not joined an operation by how sure that is.

#pragma once

#include <cstdint>
#include <vector>

#include "analysis/diagnosis/standstill/group_standing.h"

namespace traced {

struct MissingRanks {
  explicit MissingRanks(const GroupStanding& standing);

  // Those of whom it is known that they did not join, and those whose traces
  // cannot tell. Ascending.
  std::vector<std::uint32_t> sure, doubtful;
  // Of all those who are sure.
  Confidence confidence = Confidence::kCertain;
  // The process of somebody who is sure has ended.
  bool any_ended = false;
};

}  // namespace traced
