// An all-to-all must receive what is sent: send[i][j] = recv[j][i]. Each rank
// knows its row and its column. With a weight per pair, the sum of all rows
// minus all columns is 0 if they agree. If they differ, it is 0 with a
// probability of 2^-63 only. A collective therefore needs one number for any
// number of ranks.

#pragma once

#include <cstdint>

#include "traced/v1/definitions.pb.h"

namespace traced {

// Returns whether a call records all its splits.
bool givesSplits(const v1::Call& call);

// Returns the share of a group rank, modulo 2^64.
std::uint64_t splitShare(const v1::Call& call, std::uint32_t group_rank);

}  // namespace traced
