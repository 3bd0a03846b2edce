// The calls of functions of torch.distributed that create groups, or that are
// object collectives.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/stream/stream_table.h"
#include "base/instant.h"

namespace traced {

struct GroupSetup {
  // Such as "new_group".
  std::string function;
  // The line that called it, such as "/job/train.py:12 in main"; "" if unknown.
  std::string site;
  // The position of the begin, comparable with operation ids.
  std::uint64_t position = 0;
  Instant began;
  // Unknown if the call was running when the stream ended.
  Instant ended;
  bool failed = false;
  // Time in the barrier within the call.
  std::uint64_t barrier_ns = 0;
  // The groups that it created, as indices into definitions.groups().
  std::vector<std::uint32_t> groups;
};

// Returns the calls whose begin is recorded, in order.
std::vector<GroupSetup> groupSetups(const StreamTable& table);

// Returns whether no row of the call can be missing, so a call without an end
// was running when the stream ended.
bool isComplete(const GroupSetup& setup, const StreamTable& table);

// Returns how long each object collective took that ended, by its number
// (Context.parent_number).
absl::flat_hash_map<std::uint64_t, std::uint64_t> objectCallsNs(
    const StreamTable& table);

}  // namespace traced
