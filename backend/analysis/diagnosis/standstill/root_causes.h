// Root causes that come to the same are one verdict.

#pragma once

#include <cstdint>
#include <vector>

#include "analysis/diagnosis/telling/verdict.h"

namespace traced {

struct RootCause {
  // From the strongest to the weakest.
  enum class Proof : std::uint8_t {
    // Somebody is missing, or has ended it.
    kByItself,
    // Only one side is inside a message that has no number: the other may have
    // ended it.
    kOneSided,
    // A rank that it needs left no dump.
    kWithoutDump,
    // It may be held up by something that was not recorded.
    kMayBeHeldUp,
  };

  JobVerdict verdict;
  Proof proof = Proof::kByItself;
};

// Beside those with the strongest proof the others are taken to be held up by
// them. Of those that one and the same rank keeps waiting the first is told,
// and the others in its evidence.
std::vector<JobVerdict> mergeCauses(std::vector<RootCause> roots);

}  // namespace traced
