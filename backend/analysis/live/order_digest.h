// What a host tells of the order in which its ranks called the operations of a
// group, and where another host's ranks called something else.
//
// The latest numbers are told one by one, and those before them as hashes of
// blocks. Where a block differs both hosts spell it: each sees the other's
// signatures one exchange later, and with them the first number that differs.

#pragma once

#include <cstdint>
#include <optional>

#include "analysis/live/order_watch.h"
#include "traced/v1/host_digest.pb.h"

namespace traced {

constexpr std::uint64_t kOrderBlock = 64;
constexpr std::uint64_t kOrderLatest = 2 * kOrderBlock;

// At most 1 KiB. `spelled_block`: the one to spell, if any.
v1::OrderDigest orderDigest(const OrderWatch& watch, std::uint32_t group,
                            std::optional<std::uint64_t> spelled_block);

struct OrderDifference {
  // The first number of which it is certain that both called something else.
  std::optional<std::uint64_t> seq;
  // The first block with such a number, where that is all that is known.
  std::optional<std::uint64_t> block;
};

// Nothing of `theirs` is trusted.
OrderDifference orderDifference(const OrderWatch& watch, std::uint32_t group,
                                const v1::OrderDigest& theirs);

}  // namespace traced
