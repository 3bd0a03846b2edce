// Dependencies between ranks within one operation: whose end proves whose
// start.
//
//   operation                               an end on X proves a start on Y
//   all_reduce, all_gather, reduce_scatter
//   and all_to_all forms, barriers          X any, Y any member
//   broadcast, scatter                      X not the root, Y the root
//   reduce, gather                          X the root, Y any
//   send and recv                           X the receiver, Y the sender
//
// An operation without bytes transfers nothing, and neither does a rank whose
// part has none: such an end proves nothing. If an algorithm waits for more
// than listed here, the rules do not rely on it. Ranks are group ranks.

#pragma once

#include <cstdint>

#include "traced/v1/definitions.pb.h"

namespace traced {

// Returns whether the end of `call` on rank `x` of a group of `group_size`
// proves that rank `y` had started its part. False if y equals x, and for a
// receive from any source, whose call does not name the source.
bool endProvesStart(const v1::Call& call, std::uint32_t group_size,
                    std::uint32_t x, std::uint32_t y);

// Returns whether an operation ends on no rank before every member has started
// its part. Applies to operations with bytes, and to all barriers.
bool needsAllMembers(v1::Operation op);

// One rank's part in a call, if only the whole group matters.
struct DependencyRole {
  // Its end proves the start of every other rank whose start can be proven.
  bool proves = false;
  // The ends of others can prove its start.
  bool proven = false;
  // It depends on nobody, like the root of a broadcast, so its end proves no
  // start. Whether it waits for a receiver is unknown.
  bool independent = false;
  // It depends on the root alone. Any other rank may relay the root's data, as
  // in a tree or ring.
  bool relayed = false;
  // The number of ranks in the group whose start can be proven.
  std::uint32_t provable = 0;
};

// Returns the part of group rank `self` in `call`.
DependencyRole dependencyRole(const v1::Call& call, std::uint32_t group_size,
                              std::uint32_t self);

// Which ranks can delay others in a collective by being late.
enum class HoldsUp { kAnyRank, kRoot, kAllButRoot };

// Returns kAnyRank for an operation without a root.
HoldsUp whoHoldsUp(v1::Operation op);

}  // namespace traced
