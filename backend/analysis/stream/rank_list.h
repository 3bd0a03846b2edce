// RankList is an ordered list of ranks, stored as ranges: a group of 100,000
// ranks takes a handful of numbers.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "traced/v1/definitions.pb.h"

namespace traced {

class RankList {
 public:
  // The ranks first, first + stride, ..., `count` in total.
  struct Run {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::int64_t stride = 0;

    bool operator==(const Run&) const = default;
    template <typename H>
    friend H AbslHashValue(H hash, const Run& run) {
      return H::combine(std::move(hash), run.first, run.count, run.stride);
    }
    std::int64_t at(std::uint32_t i) const { return first + stride * i; }
  };

  RankList() = default;
  // Returns the members of a group definition, in the order of group ranks. The
  // definition is untrusted. Returns nullopt if a range is empty or has a rank
  // below 0 or above 2^32 - 1, if the ranges do not add up to the group's size,
  // or if that exceeds kMaxGroupSize.
  static std::optional<RankList> fromGroup(const v1::Group& group);
  // Returns these ranks in this order.
  static RankList fromRanks(const std::vector<std::uint32_t>& ranks);

  std::uint32_t size() const { return size_; }
  bool contains(std::uint32_t rank) const;
  const std::vector<Run>& runs() const { return runs_; }
  // Returns the rank at a position, or nullopt beyond the end.
  std::optional<std::uint32_t> at(std::uint32_t position) const;
  // Returns "0-3,8", or "0-6/2" for every second rank. Lists at most `limit`
  // ranges, then "...".
  std::string text(std::size_t limit = 8) const;

  // Calls visit(rank) in order.
  template <typename Visit>
  void forEach(Visit&& visit) const {
    for (const Run& run : runs_) {
      for (std::uint32_t i = 0; i < run.count; ++i) {
        visit(static_cast<std::uint32_t>(run.at(i)));
      }
    }
  }

  // Lists are equal if they hold the same ranks in the same order, however they
  // were split into ranges.
  bool operator==(const RankList&) const = default;
  template <typename H>
  friend H AbslHashValue(H hash, const RankList& list) {
    return H::combine(std::move(hash), list.runs_);
  }

  static constexpr std::uint32_t kMaxGroupSize = 16'777'216;

 private:
  void append(Run run);

  std::vector<Run> runs_;
  std::uint32_t size_ = 0;
};

// Returns "rank 3" or "ranks 0-3,8".
std::string ranksText(const std::vector<std::uint32_t>& ranks);

}  // namespace traced
