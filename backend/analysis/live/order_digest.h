// Digests the order in which a host's ranks called the operations of a group,
// to find where ranks of another host made different calls.
//
// The latest signatures are listed one by one, and earlier ones as hashes of
// blocks. If a block differs, both hosts list its signatures in the next
// exchange, which shows the first number that differs.

#pragma once

#include <cstdint>
#include <optional>

#include "analysis/live/order_watch.h"
#include "traced/v1/host_digest.pb.h"

namespace traced {

constexpr std::uint64_t kOrderBlock = 64;
constexpr std::uint64_t kOrderLatest = 2 * kOrderBlock;

// Returns a digest of at most 1 KiB. `spelled_block`: a block of kOrderBlock
// numbers to list one by one, as OrderDifference::block asks for. Block b has
// numbers from b * kOrderBlock on.
v1::OrderDigest orderDigest(const OrderWatch& watch, std::uint32_t group,
                            std::optional<std::uint64_t> spelled_block);

struct OrderDifference {
  // The first sequence number at which both certainly made different calls.
  std::optional<std::uint64_t> seq;
  // The first block that differs, if the exact number is not known yet.
  std::optional<std::uint64_t> block;
};

// Compares what both hosts know of a group. Returns neither field if nothing
// differs. Numbers that one of them no longer has are not compared. `theirs` is
// untrusted.
OrderDifference orderDifference(const OrderWatch& watch, std::uint32_t group,
                                const v1::OrderDigest& theirs);

}  // namespace traced
