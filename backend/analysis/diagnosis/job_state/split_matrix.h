// What an all-to-all sends must be what is received: send[i][j] = recv[j][i].
// Each rank knows its row and its column. Weighed with a number per pair, all
// rows less all columns add up to 0 if and, but for a chance of 2^-63, only if
// they agree: so a collective needs one number, however many ranks there are.

#pragma once

#include <cstdint>

#include "traced/v1/definitions.pb.h"

namespace traced {

// Whether a call tells all its splits.
bool givesSplits(const v1::Call& call);

// The share of a group rank, modulo 2^64.
std::uint64_t splitShare(const v1::Call& call, std::uint32_t group_rank);

}  // namespace traced
