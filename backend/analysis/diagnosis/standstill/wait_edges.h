// Which operation that stands still waits for which. See docs/diagnosis.md,
// "Wait-for graph".

#pragma once

#include <cstdint>
#include <vector>

#include "analysis/diagnosis/trouble/trouble.h"

namespace traced {

// By index of a trouble.
using Edges = std::vector<std::vector<std::uint32_t>>;

struct WaitEdges {
  // Also those to what only may hold an operation up.
  Edges all;
  // Between what stands still by itself.
  Edges sure;
};

WaitEdges waitEdgesOf(const std::vector<Trouble>& troubles);

// A message that has no number, of which the other side may have ended its
// part.
bool isOneSided(const Trouble& trouble);

}  // namespace traced
