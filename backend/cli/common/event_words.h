// Describes the events of a program between its operations.

#pragma once

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "analysis/stream/stream_table.h"
#include "cli/common/json.h"

namespace traced {

// EventWords describes events of one stream. `table` must outlive it.
class EventWords {
 public:
  explicit EventWords(const StreamTable& table);

  // Returns the event in words: "all_reduce #5 on dp failed: Connection closed
  // by peer". Names from the trace are not yet safe for a terminal.
  std::string text(const Marks::Event& event) const;
  // Returns the event for `show --json` (docs/reference/json.md), without
  // `at_ns` and `rank`.
  Json json(const Marks::Event& event) const;

 private:
  std::string operationText(std::uint64_t id) const;
  std::string groupLabel(std::uint64_t id) const;
  // Returns ": " and the event's message; "" without one.
  std::string detailOf(const Marks::Event& event) const;

  const StreamTable& table_;
  // Filled only if an operation failed.
  absl::flat_hash_map<std::uint64_t, const AssembledOperation*> operations_;
};

}  // namespace traced
