// What a call was made with, in short words, and where in the program it was
// made.

#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

#include "analysis/stream/stream_table.h"
#include "traced/v1/definitions.pb.h"

namespace traced {

// The dtype of all its tensors, "mixed" when they differ, "-" without tensors.
std::string dtypeText(const v1::Call& call);

// The shapes of some of its tensors: "[1024,512]", "3*[64] [2,64]"; empty
// without tensors.
std::string shapesText(
    const google::protobuf::RepeatedPtrField<v1::TensorRun>& tensors);

// The shapes of its inputs, or of its outputs when it has none; "-" without
// tensors.
std::string shapeText(const v1::Call& call);

// CallSite is where in the program a call was made, as far as its stream
// tells.
struct CallSite {
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
  auto operator<=>(const CallSite&) const = default;
};

CallSite callSiteOf(const StreamTable& table,
                    const AssembledOperation& operation);

// Whether a stream may know any.
bool hasSites(const StreamTable& table);

}  // namespace traced
