#include "analysis/digest/stream_facts.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "analysis/reading/stream_assembler.h"
#include "trace_io/row_writer.h"

namespace traced {
namespace {

// In pieces where its stride is of two ranks that are too far apart.
void addRun(const RankList::Run& run, v1::Group& group) {
  const bool fits = run.stride == static_cast<std::int32_t>(run.stride);
  for (std::uint32_t i = 0; i < run.count; i += fits ? run.count : 1) {
    v1::RankRange& range = *group.add_member();
    range.set_first(static_cast<std::uint32_t>(run.at(i)));
    range.set_count(fits ? run.count : 1);
    range.set_stride(fits ? static_cast<std::int32_t>(run.stride) : 0);
  }
}

void addGroup(const GroupDefinition& group, v1::Payload& payload) {
  v1::Group& told = *payload.add_group();
  told.set_id(group.id);
  told.set_name(group.name);
  told.set_desc(group.desc);
  told.set_backend(group.backend);
  told.set_leg(group.leg);
  for (const RankList::Run& run : group.members.runs()) addRun(run, told);
  told.set_size(group.members.size());
  told.set_group_rank(group.group_rank);
  told.set_nth(group.nth);
  told.set_left_out(group.left_out);
  told.set_backend_class(group.backend_class);
}

// A pause that had begun before the stream has no beginning.
void addPauses(const StreamTable& table, v1::Payload& payload) {
  const std::int64_t started_ns = table.header.started().monotonic_ns();
  for (const Pause& pause : table.marks.pauses()) {
    if (pause.begin_position > 0 || pause.began.ns() != started_ns) {
      addRow(payload, MarkRow{pause.begin_position, pause.began.ns(),
                              v1::MARK_KIND_DISABLED, 0, 0});
    }
    if (pause.end_position == std::numeric_limits<std::uint64_t>::max()) break;
    addRow(payload, MarkRow{pause.end_position, pause.ended.ns(),
                            v1::MARK_KIND_ENABLED, 0, 0});
  }
}

void addDeviceTimes(const StreamTable& table, v1::Payload& payload) {
  for (const Marks::Event& event : table.marks.events()) {
    if (event.kind != v1::MARK_KIND_DEVICE_CLOCK &&
        event.kind != v1::MARK_KIND_DEVICE_UNTIMED) {
      continue;
    }
    const std::string* text = table.definitions.text(event.text);
    addRow(payload, MarkRow{event.position, event.at.ns(),
                            static_cast<std::uint32_t>(event.kind), event.value,
                            event.text && text ? addText(payload, *text) : 0});
  }
}

}  // namespace

std::uint32_t addText(v1::Payload& payload, const std::string& text) {
  const auto id = static_cast<std::uint32_t>(payload.text_size() + 1);
  v1::Text& told = *payload.add_text();
  told.set_id(id);
  told.set_text(text);
  return id;
}

void setFacts(const StreamTable& table, const v1::Header& header,
              v1::Payload& payload) {
  *payload.mutable_header() = header;
  *payload.mutable_accounts() = table.accounts;
  if (table.last.known()) {
    payload.mutable_anchor()->set_monotonic_ns(table.last.ns());
  }
  for (const GroupDefinition& group : table.definitions.groups()) {
    addGroup(group, payload);
  }
  addPauses(table, payload);
  addDeviceTimes(table, payload);
  finishRows(payload);
  v1::StreamDigest& digest = *payload.mutable_digest();
  digest.set_operations(table.operations.size());
  digest.set_simulated(table.simulated);
  digest.set_rows_found(table.rows_found);
  digest.set_refused_bytes(table.refused_bytes);
  digest.set_skipped_chunks(table.skipped_chunks);
  digest.set_broken_tables(table.broken_tables);
  digest.set_overlapping_chunks(table.overlapping_chunks);
  digest.set_gaps(table.gaps);
  digest.set_gap_positions(table.gap_positions);
  if (table.first_operation.known() && table.last_operation.known()) {
    digest.set_first_operation_ns(table.first_operation.ns());
    digest.set_last_operation_ns(table.last_operation.ns());
  }
  const auto& refused = table.definitions.refusedGroups();
  digest.mutable_refused_group()->Add(refused.begin(), refused.end());
  std::sort(digest.mutable_refused_group()->begin(),
            digest.mutable_refused_group()->end());
  digest.set_closed(table.closed);
  digest.set_ring(static_cast<std::uint32_t>(table.ring));
  if (table.from_ring_ns) {
    digest.set_from_ring_ns_plus_1(*table.from_ring_ns + 1);
  }
}

FactsOfStream readFacts(v1::Payload& payload) {
  const v1::StreamDigest& digest = payload.digest();
  // A group that says it has members and names none is refused again.
  for (const std::uint32_t id : digest.refused_group()) {
    v1::Group& refused = *payload.add_group();
    refused.set_id(id);
    refused.set_size(1);
  }
  StreamAssembler assembler(payload.header());
  assembler.add(payload);
  FactsOfStream facts{std::move(assembler).finish(), digest.operations()};
  StreamTable& table = facts.table;
  table.simulated = std::min(digest.simulated(), digest.operations());
  table.rows_found = digest.rows_found();
  table.refused_bytes = digest.refused_bytes();
  table.skipped_chunks = digest.skipped_chunks();
  table.broken_tables = digest.broken_tables();
  table.overlapping_chunks = digest.overlapping_chunks();
  table.gaps = digest.gaps();
  table.gap_positions = digest.gap_positions();
  table.closed = digest.closed();
  if (digest.has_first_operation_ns()) {
    table.first_operation = Instant(digest.first_operation_ns());
    table.last_operation = Instant(digest.last_operation_ns());
  } else if (digest.operations() > 0) {
    table.first_operation = Instant(table.header.started().monotonic_ns());
    table.last_operation = table.last;
  }
  constexpr auto kLastState = static_cast<std::uint32_t>(RingState::kDead);
  table.ring = static_cast<RingState>(std::min(digest.ring(), kLastState));
  if (digest.from_ring_ns_plus_1() > 0) {
    table.from_ring_ns = digest.from_ring_ns_plus_1() - 1;
  }
  return facts;
}

}  // namespace traced
