// Trouble is an operation that did not come to its end on those who joined it:
// where a group, or a pair of ranks, stands still.

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/diagnosis/verdicts/verdict.h"

namespace traced {

struct StuckOperation {
  // Complete for an operation that stands alone; see wait_graph.h.
  JobVerdict verdict;
  // Who joined and has not ended; ascending. Of them those whose program does
  // not go on until it ends.
  std::vector<std::uint32_t> inside;
  std::vector<std::uint32_t> blocked;
  // Of them those whose thread may wait in another operation instead.
  std::vector<std::uint32_t> perhaps;
  // Who is waited for and is known not to have joined.
  std::vector<std::uint32_t> missing;
  // Of those inside, when they issued it.
  absl::flat_hash_map<std::uint32_t, std::int64_t> issued_ns;
  // It may be carried out behind what one of these issued before it, and the
  // records do not tell.
  bool may_be_held_up = false;
  bool some_ended = false;
  // Who ended it and waits in a later one of the group, for those inside.
  std::vector<std::uint32_t> waiting_behind;
  // Who is waited for and left nothing, where all the others left a dump.
  std::vector<std::uint32_t> without_dump;
  // Nothing shows that it stands still by itself.
  bool isHeldUpAtMost() const {
    return may_be_held_up && missing.empty() && !some_ended;
  }
  // Nobody is missing, and all those inside may wait in another one instead.
  bool isPerhaps() const {
    return missing.empty() && !inside.empty() && perhaps == inside;
  }
  // It ends on nobody before all of these have joined.
  bool needs_all = false;
  // Another finding explains it: it is told only as a part of that.
  bool explained = false;
};

// Sorted afterwards.
inline void addRanks(std::vector<std::uint32_t>& to,
                     const std::vector<std::uint32_t>& from) {
  to.insert(to.end(), from.begin(), from.end());
  std::sort(to.begin(), to.end());
}

}  // namespace traced
