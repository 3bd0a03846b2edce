// Who depends on whom within one operation: whose end proves whose start.
//
//   operation                               an end on X proves a start on Y
//   all_reduce, all_gather, reduce_scatter
//   and all_to_all forms, barriers          X any, Y any member
//   broadcast, scatter                      X not the root, Y the root
//   reduce, gather                          X the root, Y any
//   send and recv                           X the receiver, Y the sender
//
// Nothing travels in an operation without bytes, nor from a rank whose part of
// it has none: such an end proves nothing. Where an algorithm happens to wait
// for more than this, that is not relied on. Ranks are group ranks.

#pragma once

#include <cstdint>

#include "traced/v1/definitions.pb.h"

namespace traced {

// Whether the end of `call`, as rank `x` of a group of `group_size` made it,
// proves that rank `y` had started its part. False for y = x, and for a receive
// from any source, whose call does not tell from whom.
bool endProvesStart(const v1::Call& call, std::uint32_t group_size,
                    std::uint32_t x, std::uint32_t y);

// Whether an operation that carries bytes, and any barrier, ends on no rank
// before every member has started its part.
bool needsAllMembers(v1::Operation op);

// The part of one rank in its call, where only the whole group matters.
struct DependencyRole {
  // Its end proves the start of every other rank whose start can be proven.
  bool proves = false;
  // Its start is one that ends of others can prove.
  bool proven = false;
  // It depends on nobody, as the root of a broadcast: its end proves no start.
  // Whether it waits until somebody takes what it gives is not known.
  bool independent = false;
  // It depends on the root alone, but any other may be the one that passes on
  // what the root gives: in a tree, a ring.
  bool relayed = false;
  // How many ranks' starts are proven, of the whole group.
  std::uint32_t provable = 0;
};

DependencyRole dependencyRole(const v1::Call& call, std::uint32_t group_size,
                              std::uint32_t self);

// Which ranks can hold others up in a collective by being late.
enum class HoldsUp { kAnyRank, kRoot, kAllButRoot };

// Returns kAnyRank for an operation without a root.
HoldsUp whoHoldsUp(v1::Operation op);

}  // namespace traced
