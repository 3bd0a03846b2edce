#include "analysis/live/live_sums.h"

namespace traced {

CallTotals& LiveSums::kind(v1::Operation op, std::uint32_t group) {
  const auto known = kinds.find({op, group});
  if (known != kinds.end()) return known->second;
  if (kinds.size() < kMaxKinds) return kinds[{op, group}];
  ++folded_kinds;
  return kinds[{std::nullopt, GroupCatalog::kNone}];
}

LiveSums::OfSize& LiveSums::size(v1::Operation op, std::uint32_t group,
                                 std::uint64_t bytes) {
  const auto known = sizes.find({op, group, bytes});
  if (known != sizes.end()) return known->second;
  if (sizes.size() < kMaxSizes) return sizes[{op, group, bytes}];
  ++folded_sizes;
  return sizes[{std::nullopt, GroupCatalog::kNone, 0}];
}

}  // namespace traced
