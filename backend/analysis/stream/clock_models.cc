#include "analysis/stream/clock_models.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "analysis/stream/clock_cursor.h"
#include "trace_io/wrapping.h"

namespace traced {
namespace {

// Returns wall clock minus monotonic clock.
std::int64_t wallOffset(const v1::Header& header) {
  return wrappingDifference(header.started().realtime_ns(),
                            header.started().monotonic_ns());
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
  // The reference clock has offset 0, whatever the wall clocks of its streams.
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
  return ClockCursor(clock).commonNs(monotonic_ns);
}

std::optional<CertifiedNs> certifiedNs(const v1::ClockModel& clock,
                                       std::int64_t monotonic_ns) {
  return ClockCursor(clock).certifiedNs(monotonic_ns);
}

}  // namespace traced
