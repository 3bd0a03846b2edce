#include "analysis/clock_models.h"

#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace traced {
namespace {

// What tells whether two streams read the same clock.
using ClockName = std::pair<std::string, std::uint64_t>;

ClockName clockOf(const v1::Header& header) {
  return {header.boot_id(), header.time_namespace()};
}

std::int64_t wrappingSubtract(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) -
                                   static_cast<std::uint64_t>(b));
}

// Wall clock less monotonic clock.
std::int64_t wallOffset(const v1::Header& header) {
  return wrappingSubtract(header.started().realtime_ns(),
                          header.started().monotonic_ns());
}

}  // namespace

std::vector<v1::ClockModel> modelClocks(
    absl::Span<const v1::Header* const> headers) {
  std::vector<v1::ClockModel> models;
  absl::flat_hash_map<ClockName, std::int64_t> offsets;
  for (const v1::Header* header : headers) {
    v1::ClockModel& model = models.emplace_back();
    model.set_stream_id(header->stream_id());
    std::int64_t offset_ns =
        wrappingSubtract(wallOffset(*header), wallOffset(*headers[0]));
    const ClockName clock = clockOf(*header);
    if (!header->boot_id().empty()) {
      offset_ns = offsets.try_emplace(clock, offset_ns).first->second;
    }
    const bool same = header == headers[0] || (!header->boot_id().empty() &&
                                               clock == clockOf(*headers[0]));
    model.set_offset_ns(offset_ns);
    model.set_source(same ? v1::CLOCK_SOURCE_SAME_CLOCK
                          : v1::CLOCK_SOURCE_WALL_CLOCK);
  }
  return models;
}

std::vector<v1::ClockModel> modelClocks(
    absl::Span<const v1::Header* const> headers,
    absl::Span<const v1::ClockModel> known) {
  absl::flat_hash_map<std::uint64_t, const v1::ClockModel*> by_stream;
  for (const v1::ClockModel& model : known) {
    by_stream[model.stream_id()] = &model;
  }
  std::vector<v1::ClockModel> models;
  for (const v1::Header* header : headers) {
    const auto found = by_stream.find(header->stream_id());
    if (found == by_stream.end()) return modelClocks(headers);
    models.push_back(*found->second);
  }
  return models;
}

std::int64_t commonNs(const v1::ClockModel& clock, std::int64_t monotonic_ns) {
  return static_cast<std::int64_t>(
      static_cast<std::uint64_t>(monotonic_ns) +
      static_cast<std::uint64_t>(clock.offset_ns()));
}

}  // namespace traced
