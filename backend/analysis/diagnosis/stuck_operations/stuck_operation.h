// StuckOperation is an operation that did not end on the ranks that joined it:
// a group or a pair of ranks is stuck in it.

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/diagnosis/verdicts/verdict.h"

namespace traced {

struct StuckOperation {
  // Complete if the operation is independent of others. See wait_graph.h.
  JobVerdict verdict;
  // Ranks that joined and have not ended, ascending. `blocked` holds those
  // whose program does not continue until the operation ends.
  std::vector<std::uint32_t> inside;
  std::vector<std::uint32_t> blocked;
  // The ranks of `inside` whose thread may be waiting in another operation
  // instead.
  std::vector<std::uint32_t> perhaps;
  // Ranks that are waited for and known not to have joined.
  std::vector<std::uint32_t> missing;
  // When each rank of `inside` issued the operation.
  absl::flat_hash_map<std::uint32_t, std::int64_t> issued_ns;
  // It may be queued behind an earlier operation of one of these ranks, which
  // the records do not show.
  bool may_be_held_up = false;
  bool some_ended = false;
  // Ranks that ended it and wait in a later operation of the group for those
  // inside.
  std::vector<std::uint32_t> waiting_behind;
  // Ranks that are waited for and left no dump, while all others did.
  std::vector<std::uint32_t> without_dump;
  // Returns whether nothing shows that the operation is stuck by itself.
  bool isHeldUpAtMost() const {
    return may_be_held_up && missing.empty() && !some_ended;
  }
  // Returns whether nobody is missing and every rank inside may be waiting in
  // another operation.
  bool isPerhaps() const {
    return missing.empty() && !inside.empty() && perhaps == inside;
  }
  // It ends on no rank before all have joined.
  bool needs_all = false;
  // Another finding explains it, so it is reported only as part of that.
  bool explained = false;
};

// Adds `from` to `to` and sorts `to`.
inline void addRanks(std::vector<std::uint32_t>& to,
                     const std::vector<std::uint32_t>& from) {
  to.insert(to.end(), from.begin(), from.end());
  std::sort(to.begin(), to.end());
}

}  // namespace traced
