// How the calls of a rank come about from those of another, from the first on
// in which they differ.

#pragma once

#include <cstdint>
#include <vector>

#include "analysis/diagnosis/telling/facts/calls.h"

namespace traced {

// What two ranks called one after the other, as signatures.
struct CallSequences {
  std::vector<std::uint32_t> usual;
  std::vector<std::uint32_t> odd;
};

CallShift shiftOf(const CallSequences& sequences);

}  // namespace traced
