// How the calls of a rank come about from those of another, from the first on
// in which they differ.

#pragma once

#include <cstdint>
#include <vector>

namespace traced {

// What two ranks called one after the other, as signatures.
struct CallSequences {
  std::vector<std::uint32_t> usual;
  std::vector<std::uint32_t> odd;
};

enum class CallShift : std::uint8_t {
  // The first one is another; what follows agrees, or is not known.
  kNone,
  // Two calls have changed places, and what follows agrees.
  kSwapped,
  // What follows agrees one call later, or earlier.
  kExtra,
  kLeftOut,
  // Both of these would explain what is known, and two calls did not change
  // places.
  kExtraOrLeftOut,
  // More than one of these would explain what is known.
  kUnclear,
};

CallShift shiftOf(const CallSequences& sequences);

}  // namespace traced
