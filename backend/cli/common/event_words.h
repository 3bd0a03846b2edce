// What happened to a program between its operations, in words.

#pragma once

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "analysis/stream/stream_table.h"
#include "cli/common/json.h"

namespace traced {

// Of one stream, which outlives it.
class EventWords {
 public:
  explicit EventWords(const StreamTable& table);

  // "all_reduce #5 on dp failed: Connection closed by peer". As it is in the
  // trace: not yet safe for a terminal.
  std::string text(const Marks::Event& event) const;
  // See docs/reference/json.md, "show". Without `at_ns` and `rank`.
  Json json(const Marks::Event& event) const;

 private:
  std::string operationText(std::uint64_t id) const;
  std::string groupLabel(std::uint64_t id) const;
  std::string said(const Marks::Event& event) const;

  const StreamTable& table_;
  // Only where something failed.
  absl::flat_hash_map<std::uint64_t, const AssembledOperation*> operations_;
};

}  // namespace traced
