// Describes a call's arguments and its place in the program.

#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

#include "analysis/stream/stream_table.h"
#include "traced/v1/definitions.pb.h"

namespace traced {

// Returns the dtype of all tensors; "mixed" if they differ, "-" without
// tensors.
std::string dtypeText(const v1::Call& call);

// Returns the shapes of `tensors`, such as "[1024,512]" or "3*[64] [2,64]"; ""
// without tensors.
std::string shapesText(
    const google::protobuf::RepeatedPtrField<v1::TensorRun>& tensors);

// Returns the shapes of the inputs, or of the outputs if it has no inputs; "-"
// without tensors.
std::string shapeText(const v1::Call& call);

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
