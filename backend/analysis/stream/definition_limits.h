// What readers take of a definition. It says once what thousands of rows name,
// so a text of a megabyte would be written thousands of times. The bounds are
// those of recorders, which write no more; docs/reference/format.md names them.

#pragma once

#include <cstddef>

#include "traced/v1/trace.pb.h"

namespace traced {

// Of one text: names in a context and of threads.
inline constexpr std::size_t kMaxNameBytes = 256;
// Of any other: what a failure said, what a group is called, where a frame is.
inline constexpr std::size_t kMaxTextBytes = 512;
inline constexpr int kMaxAnnotations = 16;
inline constexpr int kMaxFrames = 64;
inline constexpr int kMaxBuffers = 16;
// Of the inputs of a call, of its outputs, and of each list of splits: a number
// for each tensor and each of its dimensions.
inline constexpr int kMaxCallNumbers = 512;

// Cuts all definitions of a chunk down to these bounds. Texts then end with
// "...", and of lists it is counted how much was cut.
void keepToLimits(v1::Payload& payload);

}  // namespace traced
