// Converts instants of several streams to one time line. The clocks of several
// hosts are aligned in clocks/align_clocks.h.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "traced/v1/clock.pb.h"
#include "traced/v1/trace.pb.h"

namespace traced {

// The clock models stored by one merge. Each merge has its own time line, so
// instants of two merges must not be compared.
struct MergedClocks {
  std::vector<v1::ClockModel> models;
};

// Returns a name that is equal for streams reading the same clock: same boot
// and time namespace. A stream without a boot id has a clock of its own.
std::string clockNameOf(const v1::Header& header);

// Returns a model per header, in the same order, from headers alone. Common
// time is monotonic_ns + offset_ns, on the clock of header `reference`. Streams
// that read the same clock get the same offset. Others are placed by their wall
// clocks, and are as accurate as those are synchronised.
std::vector<v1::ClockModel> modelClocks(
    absl::Span<const v1::Header* const> headers, std::size_t reference = 0);

// Returns the models of the first merge that covers every header, or nothing if
// none does.
std::vector<v1::ClockModel> knownClocks(
    absl::Span<const v1::Header* const> headers,
    absl::Span<const MergedClocks> merges);

// Returns whether the model's knots are in order and its drift is valid. Check
// this for every model read from a file.
bool isSound(const v1::ClockModel& clock);

// Returns the estimated common time. For many instants of one clock, use
// ClockCursor.
std::int64_t commonNs(const v1::ClockModel& clock, std::int64_t monotonic_ns);

// An interval of common time that certainly contains an instant.
struct CertifiedNs {
  std::int64_t low_ns = 0;
  std::int64_t high_ns = 0;
};

// Returns nullopt if nothing is certified: the clock was placed by its wall
// clock, or it stepped near this instant. The interval has length 0 on the
// clock of the time line.
std::optional<CertifiedNs> certifiedNs(const v1::ClockModel& clock,
                                       std::int64_t monotonic_ns);

}  // namespace traced
