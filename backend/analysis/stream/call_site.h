// Describes the place of a call in the program.

#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

#include "analysis/stream/stream_table.h"
#include "traced/v1/definitions.pb.h"

namespace traced {

// CallSite describes where in the program a call was made, as far as it was
// recorded.
struct CallSite {
  // Such as "/job/train.py:120 in forward", "Net.layers.3", "backward", "epoch
  // / warm-up"; each "" if unknown.
  std::string site;
  std::string module;
  std::string phase;
  std::string annotations;
  // The exception being handled: "MemoryError, raised at /job/train.py:9 in
  // train"; "" if none.
  std::string handling;
  std::optional<std::uint64_t> step;

  // Returns whether any field is set.
  bool known() const;
  auto operator<=>(const CallSite&) const = default;
};

CallSite callSiteOf(const StreamTable& table,
                    const AssembledOperation& operation);

// Returns whether the stream has any data about call sites.
bool hasSites(const StreamTable& table);

}  // namespace traced
