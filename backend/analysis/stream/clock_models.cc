#include "analysis/stream/clock_models.h"

#include <algorithm>
#include <cmath>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "trace_io/wrapping.h"

namespace traced {
namespace {

// Wall clock less monotonic clock.
std::int64_t wallOffset(const v1::Header& header) {
  return wrappingDifference(header.started().realtime_ns(),
                            header.started().monotonic_ns());
}

double distance(std::int64_t from, std::int64_t to) {
  return static_cast<double>(to) - static_cast<double>(from);
}

// A whole number of nanoseconds that fits, whatever a file says.
std::int64_t rounded(double ns) {
  constexpr double kLimit = 4e18;
  return std::llround(std::clamp(ns, -kLimit, kLimit));
}

// The first knot at or behind an instant.
int knotFrom(const v1::ClockModel& clock, std::int64_t monotonic_ns) {
  const auto& knots = clock.knot();
  const auto found =
      std::lower_bound(knots.begin(), knots.end(), monotonic_ns,
                       [](const v1::ClockKnot& knot, std::int64_t ns) {
                         return knot.monotonic_ns() < ns;
                       });
  return static_cast<int>(found - knots.begin());
}

std::int64_t offsetAt(const v1::ClockModel& clock, std::int64_t monotonic_ns) {
  const int count = clock.knot_size();
  if (count == 0) return clock.offset_ns();
  const int next = knotFrom(clock, monotonic_ns);
  if (next == 0 || next == count) {
    const v1::ClockKnot& end = clock.knot(next == 0 ? 0 : count - 1);
    const double grown = distance(end.monotonic_ns(), monotonic_ns) *
                         static_cast<double>(clock.rate_ppb()) / 1e9;
    return wrappingSum(end.offset_ns(), rounded(grown));
  }
  const v1::ClockKnot& a = clock.knot(next - 1);
  const v1::ClockKnot& b = clock.knot(next);
  const double part = distance(a.monotonic_ns(), monotonic_ns) /
                      distance(a.monotonic_ns(), b.monotonic_ns());
  return wrappingSum(a.offset_ns(),
                     rounded(part * distance(a.offset_ns(), b.offset_ns())));
}

// What a knot says of the offset at another instant of its segment.
CertifiedNs offsetBy(const v1::ClockModel& clock, const v1::ClockKnot& knot,
                     std::int64_t monotonic_ns) {
  const double drift =
      std::ceil(std::abs(distance(knot.monotonic_ns(), monotonic_ns)) *
                static_cast<double>(clock.max_drift_ppb()) / 1e9);
  const auto offset = static_cast<double>(knot.offset_ns());
  return {rounded(offset - static_cast<double>(knot.below_ns()) - drift),
          rounded(offset + static_cast<double>(knot.above_ns()) + drift)};
}

std::optional<CertifiedNs> certifiedOffset(const v1::ClockModel& clock,
                                           std::int64_t monotonic_ns) {
  const int count = clock.knot_size();
  const int next = knotFrom(clock, monotonic_ns);
  if (next == 0) return offsetBy(clock, clock.knot(0), monotonic_ns);
  CertifiedNs left = offsetBy(clock, clock.knot(next - 1), monotonic_ns);
  if (next == count) return left;
  const v1::ClockKnot& right_knot = clock.knot(next);
  const CertifiedNs right = offsetBy(clock, right_knot, monotonic_ns);
  if (right_knot.monotonic_ns() == monotonic_ns) return right;
  if (right_knot.starts_segment()) return std::nullopt;
  return CertifiedNs{std::max(left.low_ns, right.low_ns),
                     std::min(left.high_ns, right.high_ns)};
}

}  // namespace

std::string clockNameOf(const v1::Header& header) {
  return header.boot_id().empty()
             ? absl::StrCat("stream ", header.stream_id())
             : absl::StrCat(header.boot_id(), " ", header.time_namespace());
}

std::vector<v1::ClockModel> modelClocks(
    absl::Span<const v1::Header* const> headers, std::size_t reference) {
  std::vector<v1::ClockModel> models;
  if (headers.empty()) return models;
  const v1::Header& base = *headers[reference];
  // The clock of the time line is itself, whatever its wall clocks say.
  absl::flat_hash_map<std::string, std::int64_t> offsets = {
      {clockNameOf(base), 0}};
  for (const v1::Header* header : headers) {
    v1::ClockModel& model = models.emplace_back();
    model.set_stream_id(header->stream_id());
    const std::string clock = clockNameOf(*header);
    const auto [place, is_new] = offsets.try_emplace(
        clock, wrappingDifference(wallOffset(*header), wallOffset(base)));
    model.set_offset_ns(place->second);
    model.set_source(clock == clockNameOf(base) ? v1::CLOCK_SOURCE_SAME_CLOCK
                                                : v1::CLOCK_SOURCE_WALL_CLOCK);
  }
  return models;
}

std::vector<v1::ClockModel> knownClocks(
    absl::Span<const v1::Header* const> headers,
    absl::Span<const MergedClocks> merges) {
  for (const MergedClocks& merge : merges) {
    if (merge.models.size() < headers.size()) continue;
    absl::flat_hash_map<std::uint64_t, const v1::ClockModel*> by_stream;
    for (const v1::ClockModel& model : merge.models) {
      by_stream[model.stream_id()] = &model;
    }
    std::vector<v1::ClockModel> models;
    for (const v1::Header* header : headers) {
      const auto found = by_stream.find(header->stream_id());
      if (found == by_stream.end()) break;
      models.push_back(*found->second);
    }
    if (models.size() == headers.size()) return models;
  }
  return {};
}

bool isSound(const v1::ClockModel& clock) {
  const auto& knots = clock.knot();
  return clock.max_drift_ppb() <= 1'000'000'000 &&
         std::adjacent_find(knots.begin(), knots.end(),
                            [](const v1::ClockKnot& a, const v1::ClockKnot& b) {
                              return a.monotonic_ns() >= b.monotonic_ns();
                            }) == knots.end();
}

std::int64_t commonNs(const v1::ClockModel& clock, std::int64_t monotonic_ns) {
  return wrappingSum(monotonic_ns, offsetAt(clock, monotonic_ns));
}

std::optional<CertifiedNs> certifiedNs(const v1::ClockModel& clock,
                                       std::int64_t monotonic_ns) {
  if (clock.source() == v1::CLOCK_SOURCE_SAME_CLOCK) {
    const std::int64_t at = wrappingSum(monotonic_ns, clock.offset_ns());
    return CertifiedNs{at, at};
  }
  if (clock.knot_size() == 0) return std::nullopt;
  const auto offset = certifiedOffset(clock, monotonic_ns);
  if (!offset) return std::nullopt;
  return CertifiedNs{wrappingSum(monotonic_ns, offset->low_ns),
                     wrappingSum(monotonic_ns, offset->high_ns)};
}

}  // namespace traced
