// CallPlace is where in the program a call was made, as far as its stream
// tells.

#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

#include "analysis/stream/stream_table.h"

namespace traced {

struct CallPlace {
  // Each "" where it is not known: "/job/train.py:120 in forward",
  // "Net.layers.3", "backward", "epoch / warm-up".
  std::string site;
  std::string module;
  std::string phase;
  std::string annotations;
  // "MemoryError, raised at /job/train.py:9 in train"; "": nothing was handled.
  std::string handling;
  std::optional<std::uint64_t> step;

  bool known() const;
  auto operator<=>(const CallPlace&) const = default;
};

CallPlace callPlaceOf(const StreamTable& table,
                      const AssembledOperation& operation);

// Whether a stream may know any.
bool tellsPlaces(const StreamTable& table);

}  // namespace traced
