#include "analysis/reading/stream_loader.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "analysis/reading/dump_files.h"
#include "analysis/reading/stream_assembler.h"
#include "trace_io/chunk_scanner.h"
#include "trace_io/rows.h"

namespace traced {

bool Allowance::take(std::uint64_t stored_bytes, std::uint64_t payload_bytes,
                     std::uint64_t rows) {
  const std::uint64_t stored = stored_bytes_ + stored_bytes;
  const std::uint64_t unpacked = payload_bytes_ + payload_bytes;
  const std::uint64_t all_rows = rows_ + rows;
  if (all_rows > kFreeRows + kRowsPerByte * stored ||
      unpacked > kFreePayloadBytes + kPayloadPerByte * stored) {
    return false;
  }
  stored_bytes_ = stored;
  payload_bytes_ = unpacked;
  rows_ = all_rows;
  return true;
}

namespace {

// Removes the first gap if retention caused it. A beginning deleted by the
// recorder's retention is not a gap: the accounts contain how many records it
// had.
void forgetDeletedBeginning(const TraceStream& stream, StreamTable& table) {
  const std::uint64_t first =
      stream.chunks.empty() ? 0 : stream.chunks.front().first_position;
  if (first == 0 || stream.begins_later ||
      table.dropped(v1::DROP_REASON_RETENTION) == 0) {
    return;
  }
  --table.gaps;
  table.gap_positions -= first;
}

// Counts records left out by the reader as found: the first chunk contains how
// much was written before it.
void forgetLeftOut(const v1::Payload& first, std::uint64_t rows,
                   StreamTable& table) {
  const std::uint64_t stored = first.accounts().stored();
  table.rows_found += stored - std::min(stored, rows);
}

// Reported drops happened before the report; retention deletes the beginning
// and is not counted.
std::uint64_t countLosses(const StreamTable& table) {
  return table.dropped() - table.dropped(v1::DROP_REASON_RETENTION) +
         table.broken_tables;
}

// Returns whether records are missing at an unknown position, or tracing was
// off at the end.
bool mayHaveLostTheEnd(const StreamTable& table) {
  constexpr std::uint64_t kOpen = ~std::uint64_t{0};
  const std::vector<Pause>& pauses = table.marks.pauses();
  return (table.missing() > 0 && table.lost_before == 0) ||
         (!pauses.empty() && pauses.back().end_position == kOpen);
}

// Counts the rows of the payload decoded last.
std::uint64_t countRows(ChunkDecoder& decoder) {
  return decoder.rows() ? decoder.rows()->rowCount()
                        : rowCount(decoder.payload());
}

}  // namespace

StreamTable StreamLoader::load(const TraceStream& stream,
                               Allowance& allowance) {
  if (stream.dump_file) return loadDumpOf(stream);
  StreamAssembler assembler(stream.header, takeRoom());
  StreamTable& table = assembler.table();
  // Positions below this are covered by chunks.
  std::optional<Instant> before_ring;
  std::uint64_t covered = stream.begins_later && !stream.chunks.empty()
                              ? stream.chunks.front().first_position
                              : 0;
  for (const ChunkRef& chunk : stream.chunks) {
    const bool has_records = chunk.end_position > chunk.first_position;
    if (has_records && chunk.first_position < covered) {
      ++table.overlapping_chunks;
      table.lost_before = std::max(table.lost_before, chunk.end_position);
      continue;
    }
    if (chunk.first_position > covered) {
      ++table.gaps;
      table.gap_positions += chunk.first_position - covered;
      table.lost_before = chunk.first_position;
    }
    covered = std::max(covered, chunk.end_position);

    const bool from_ring = set_.files[chunk.file].from_rings;
    if (from_ring && !before_ring) before_ring = table.last;
    const std::uint64_t losses = countLosses(table);
    const DecodeStatus status = decode(chunk, allowance);
    if (status == DecodeStatus::kOk) {
      if (stream.begins_later && table.chunks == 0) {
        forgetLeftOut(decoder_.payload(), countRows(decoder_), table);
      }
      assembler.add(decoder_.payload(), decoder_.rows());
    } else if (status == DecodeStatus::kRefused) {
      table.refused_bytes += chunk.framing_bytes + chunk.body_bytes;
    } else {
      ++table.skipped_chunks;
    }
    if (status != DecodeStatus::kOk || countLosses(table) > losses) {
      table.lost_before = std::max(table.lost_before, covered);
    }
  }
  StreamTable read = std::move(assembler).finish();
  if (mayHaveLostTheEnd(read)) read.lost_before = ~std::uint64_t{0};
  forgetDeletedBeginning(stream, read);
  read.ring = stream.ring;
  if (before_ring) {
    const Instant started(read.header.started().monotonic_ns());
    const Instant from = before_ring->known() ? *before_ring : started;
    read.from_ring_ns = between(from, read.last).value_or(0);
  }
  return read;
}

std::vector<AssembledOperation> StreamLoader::takeRoom() {
  std::vector<AssembledOperation> room;
  if (!rooms_.empty()) {
    room = std::move(rooms_.back());
    rooms_.pop_back();
  }
  return room;
}

StreamTable StreamLoader::loadDumpOf(const TraceStream& stream) const {
  const TraceFile& file = set_.files[*stream.dump_file];
  Result<StreamTable> table = loadDump(file.path, stream.header);
  if (table) return *std::move(table);
  StreamTable nothing;
  nothing.header = stream.header;
  nothing.snapshot = true;
  nothing.capabilities = {};
  nothing.refused_bytes = file.bytes;
  return nothing;
}

DecodeStatus StreamLoader::decode(const ChunkRef& chunk, Allowance& allowance) {
  const std::string_view bytes = body(chunk);
  if (bytes.empty()) return DecodeStatus::kRefused;
  DecodeStatus status = decoder_.parse(bytes);
  if (status == DecodeStatus::kOk) status = decoder_.decodePacked();
  if (status != DecodeStatus::kOk) return status;
  return allowance.take(chunk.body_bytes, decoder_.chunk().payload_bytes(),
                        countRows(decoder_))
             ? DecodeStatus::kOk
             : DecodeStatus::kRefused;
}

std::string_view StreamLoader::body(const ChunkRef& chunk) {
  if (!source_ || source_file_ != chunk.file) {
    auto opened = FileSource::open(set_.files[chunk.file].path);
    if (!opened) return {};
    source_ = std::move(*opened);
    source_file_ = chunk.file;
  }
  const std::string_view bytes =
      source_->read(chunk.body_offset, chunk.body_bytes);
  return isValidChunk(bytes) ? bytes : std::string_view{};
}

}  // namespace traced
