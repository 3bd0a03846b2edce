#include "analysis/live/live_sums.h"

namespace traced {

CallTotals& LiveSums::kind(const std::string& op, std::uint32_t group) {
  const auto known = kinds.find({op, group});
  if (known != kinds.end()) return known->second;
  if (kinds.size() < kMostKinds) return kinds[{op, group}];
  ++folded_kinds;
  return kinds[{kOther, GroupCatalog::kNone}];
}

LiveSums::OfSize& LiveSums::size(const std::string& op, std::uint32_t group,
                                 std::uint64_t bytes, std::uint64_t interval) {
  auto known = sizes.find({op, group, bytes});
  if (known == sizes.end()) {
    const bool is_full = sizes.size() >= kMostSizes;
    folded_sizes += is_full;
    const Size key =
        is_full ? Size{kOther, GroupCatalog::kNone, 0} : Size{op, group, bytes};
    known = sizes.try_emplace(key).first;
  }
  OfSize& sums = known->second;
  if (sums.interval != interval) {
    sums = {};
    sums.interval = interval;
  }
  return sums;
}

}  // namespace traced
