// How the instants of several streams are put on one time line. What brings the
// clocks of several hosts together is clocks/align_clocks.h.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "traced/v1/clock.pb.h"
#include "traced/v1/trace.pb.h"

namespace traced {

// What one merge says of the clocks of its streams: all bring instants to its
// time line. Another merge has another:
// instants on two of them are not to be compared.
struct MergedClocks {
  std::vector<v1::ClockModel> models;
};

// Equal for streams that read the same clock: those of one boot and time
// namespace. A stream that does not tell its boot has a clock of its own.
std::string clockNameOf(const v1::Header& header);

// A model per header, in their order, by what headers alone tell: common =
// monotonic_ns + offset_ns, where the common time line is the clock of the
// header `reference`. Streams that read the same clock get the same offset.
// Others are placed by their wall clocks, which is only as good as these are
// synchronised.
std::vector<v1::ClockModel> modelClocks(
    absl::Span<const v1::Header* const> headers, std::size_t reference = 0);

// The models of the first merge that has one for every header: it tells how
// its streams relate. Empty where there is no such merge.
std::vector<v1::ClockModel> knownClocks(
    absl::Span<const v1::Header* const> headers,
    absl::Span<const MergedClocks> merges);

// Whether the knots of a model that was read are in order, and its drift is
// one.
bool isSound(const v1::ClockModel& clock);

// An instant on the common time line, as well as it is known. See ClockCursor
// for many of one clock.
std::int64_t commonNs(const v1::ClockModel& clock, std::int64_t monotonic_ns);

// Where on the common time line an instant certainly is.
struct CertifiedNs {
  std::int64_t low_ns = 0;
  std::int64_t high_ns = 0;
};

// Absent where nothing is certified: placed by a wall clock, or about where the
// clock stepped. An interval of 0 where the clock is that of the time line.
std::optional<CertifiedNs> certifiedNs(const v1::ClockModel& clock,
                                       std::int64_t monotonic_ns);

}  // namespace traced
