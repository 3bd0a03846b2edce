// How the instants of several streams are put on one time line.

#pragma once

#include <vector>

#include "absl/types/span.h"
#include "traced/v1/clock.pb.h"
#include "traced/v1/trace.pb.h"

namespace traced {

// A model per header, in their order: common = monotonic_ns + offset_ns, where
// the common time line is the clock of the first stream. Streams that read the
// same clock get the same offset. Others are placed by their wall clocks, which
// is only as good as these are synchronised.
std::vector<v1::ClockModel> modelClocks(
    absl::Span<const v1::Header* const> headers);

// The same, but with the models of `known` where it holds one for every
// stream: a merged file tells how its streams relate.
std::vector<v1::ClockModel> modelClocks(
    absl::Span<const v1::Header* const> headers,
    absl::Span<const v1::ClockModel> known);

// An instant on the common time line.
std::int64_t commonNs(const v1::ClockModel& clock, std::int64_t monotonic_ns);

}  // namespace traced
