// SlowLinks are those whose transfers take persistently and materially longer
// than those of the links they are compared with.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/diagnosis/slow_peers/compared_links.h"

namespace traced {

struct SlowLink {
  // Index into ComparedLinks::links.
  std::size_t link = 0;
  // Over the whole run, or from some point on to its end.
  std::int64_t since_ns = 0;
  std::size_t count = 0;
  // The median of its transfers, at least.
  std::int64_t median_ns = 0;
  // What three of four transfers between the others take at most.
  std::int64_t others_ns = 0;
  // Which part of the time it took, beyond what the others take.
  double of_the_time = 0;
};

// Links may have no transfers. `stride`: the transfers are every so manieth. At
// most half of the links.
std::vector<SlowLink> findSlowLinks(const ComparedLinks& compared,
                                    std::uint64_t stride);

}  // namespace traced
