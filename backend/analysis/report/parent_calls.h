// ParentCalls counts and times the calls that issued several operations of one
// rank, such as broadcast_object_list().

#pragma once

#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "analysis/report/report.h"
#include "analysis/stream/stream_table.h"

namespace traced {

class ParentCalls {
 public:
  explicit ParentCalls(const StreamTable& table) : table_(table) {}

  // Adds an operation of a row, in order. Nothing happens without an enclosing
  // call. `totals`: sums of the row, valid until finish() returns.
  void add(const AssembledOperation& op, const void* row, CallTotals& totals);
  // Adds the times to the sums. Call once.
  void finish();

 private:
  // The sums that count the call, from when to when its operations lasted, and
  // the time in which one was under way.
  struct Parent {
    CallTotals* totals = nullptr;
    Instant from;
    Instant until;
    std::uint64_t inside_ns = 0;
  };

  const StreamTable& table_;
  // By row and Context.parent_number.
  absl::flat_hash_map<std::pair<const void*, std::uint64_t>, Parent> parents_;
};

}  // namespace traced
