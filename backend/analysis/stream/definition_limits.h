// Limits on the size of definitions. A definition is named by thousands of
// rows, so a megabyte of text would be written thousands of times. Recorders
// keep to the same limits, see docs/reference/format.md.

#pragma once

#include <cstddef>

#include "traced/v1/trace.pb.h"

namespace traced {

// Limit on names of contexts and threads.
inline constexpr std::size_t kMaxNameBytes = 256;
// Limit on other texts: failures, group names, locations of frames.
inline constexpr std::size_t kMaxTextBytes = 512;
inline constexpr int kMaxAnnotations = 16;
inline constexpr int kMaxFrames = 64;
inline constexpr int kMaxBuffers = 16;
// Limit on the inputs of a call, on its outputs, and on each list of splits.
// Counts each tensor and each of its dimensions.
inline constexpr int kMaxCallNumbers = 512;

// Cuts all definitions of a chunk to these limits. Cut texts end with "...",
// and cut lists record how many elements were removed.
void keepToLimits(v1::Payload& payload);

}  // namespace traced
