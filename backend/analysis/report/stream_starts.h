// StreamStarts adds how one rank started its groups: the calls that created
// them, and the first call of each.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "analysis/report/first_calls.h"
#include "analysis/report/report.h"
#include "analysis/stream/stream_table.h"

namespace traced {

class StreamStarts {
 public:
  // `groups`: index into `starts` of each group of the stream. All must outlive
  // this object.
  StreamStarts(const StreamTable& table, absl::Span<const std::uint32_t> groups,
               std::vector<GroupStart>& starts);

  // See FirstCalls.
  bool isFirst(const AssembledOperation& op) const {
    return first_calls_.holds(op);
  }
  // Adds an operation with a known call, in order. `group`: index into
  // `starts`. `took_ns`: see GroupStart::first.
  void add(const AssembledOperation& op, std::uint32_t group,
           std::optional<std::uint64_t> took_ns) {
    const bool is_first = isFirst(op);
    if (is_first || equals_first_[op.call]) {
      addStart(op, is_first, group, took_ns);
    }
  }
  // Adds the calls that created groups, and sets the times of the rank.
  void finish(RankTotals& rank);

 private:
  void addStart(const AssembledOperation& op, bool is_first,
                std::uint32_t group, std::optional<std::uint64_t> took_ns);

  const StreamTable& table_;
  const absl::Span<const std::uint32_t> groups_;
  std::vector<GroupStart>& starts_;
  const FirstCalls first_calls_;
  // Whether a call equals the first one of its group, per call.
  std::vector<bool> equals_first_;
  std::uint64_t first_calls_ns_ = 0;
};

}  // namespace traced
