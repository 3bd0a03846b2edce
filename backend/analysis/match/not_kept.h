// NotKept knows of operations that were read and are not in memory how far
// their numbers and times reach. A row whose number is not among them has all
// its parts; what lies behind all of them, or before, is all there is there.

#pragma once

#include <cstdint>
#include <limits>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "analysis/match/match_entry.h"

namespace traced {

class NotKept {
 public:
  void add(const MatchEntry& entry);

  bool empty() const { return first_ns_ > last_ns_; }
  // Whether one of them may belong to the row of this entry.
  bool mayShareRow(const MatchEntry& entry) const;
  // Whether one of them may be the collective of a group with this number.
  bool mayHaveCollective(std::uint32_t group, std::uint64_t seq) const;
  // Whether all of them were issued before this instant of the common time
  // line, or all behind it.
  bool allBefore(std::int64_t ns) const { return last_ns_ < ns; }
  bool allBehind(std::int64_t ns) const { return first_ns_ > ns; }

 private:
  using Line = decltype(MatchEntry().line());
  struct Numbers {
    std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t last = 0;
  };

  bool mayHave(const Line& line, std::uint64_t seq) const;

  absl::flat_hash_map<Line, Numbers> numbers_;
  std::int64_t first_ns_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_ns_ = std::numeric_limits<std::int64_t>::min();
};

}  // namespace traced
