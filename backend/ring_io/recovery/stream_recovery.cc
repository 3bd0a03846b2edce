#include "ring_io/recovery/stream_recovery.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "ring_io/chunks/accounts.h"
#include "ring_io/recovery/complete_definitions.h"
#include "ring_io/recovery/ring_image.h"
#include "ring_io/ring/record.h"
#include "ring_io/sinks/file_sink.h"
#include "ring_io/support/kill_point.h"
#include "trace_io/byte_source.h"
#include "trace_io/chunk_decoder.h"
#include "trace_io/chunk_scanner.h"

namespace traced {
namespace {

// Maximum slots per chunk, as in the writer.
constexpr std::uint64_t kChunkSlots = 65536;

std::uint64_t maxBytes(const v1::Header& header) {
  std::uint64_t bytes = 0;
  const auto setting = header.settings().find("TRACED_MAX_BYTES");
  if (setting == header.settings().end()) return 0;
  const std::string& text = setting->second;
  std::from_chars(text.data(), text.data() + text.size(), bytes);
  return bytes;
}

// Returns whether a reader accepts the chunk. A damaged ring must not make a
// trace unreadable.
bool isReadable(const std::string& framed) {
  MemorySource source(framed);
  ChunkScanner scanner(source);
  ChunkDecoder decoder;
  const auto chunk = scanner.next();
  return chunk && decoder.parse(chunk->body) == DecodeStatus::kOk &&
         decoder.decode() == DecodeStatus::kOk;
}

struct StringSink : Sink {
  bool append(const std::string& chunk, std::uint64_t) override {
    content += chunk;
    return true;
  }
  std::string location() const override { return "memory"; }

  std::string content;
};

}  // namespace

StreamRecovery::StreamRecovery(const SegmentContent& segment,
                               std::string_view file)
    : segment_(segment),
      ring_(file.substr(segment.ring_offset), segment.slots) {}

void StreamRecovery::run(const std::string& trace,
                         const RecoverOptions& options,
                         RecoveredSegment& result) {
  result.outcome = tryRun(trace, options, result.why);
  if (result.outcome != RecoverOutcome::kRecovered) return;
  result.closed = written_->accounts().closed();
  result.records = records_;
  result.unfinished_slots = end_.unfinished_slots;
  result.broken_records = end_.broken_records;
  result.dropped_records =
      counters_.ring_full + counters_.issue_lost + counters_.write_failed;
}

RecoverOutcome StreamRecovery::tryRun(const std::string& trace,
                                      const RecoverOptions& options,
                                      std::string& why) {
  if (!ring_.valid()) {
    why = "damaged: the positions of its ring are impossible";
    return RecoverOutcome::kUnreadable;
  }
  auto written = WrittenStream::open(trace, segment_.header.stream_id());
  if (!written) {
    why = written.error().message;
    return RecoverOutcome::kUnwritable;
  }
  written_ = std::move(*written);
  if (written_->endPosition() > ring_.head()) {
    why = "damaged: its ring ends before its trace does";
    return RecoverOutcome::kUnreadable;
  }
  survey();
  const bool already_marked =
      written_->accounts().closed() || written_->accounts().recovered();
  if (options.dry_run || (records_ == 0 && already_marked)) {
    return RecoverOutcome::kRecovered;
  }
  process_end_ = options.process_end;
  return append(why);
}

Result<std::string> StreamRecovery::missingChunks(
    std::unique_ptr<WrittenStream> written, bool alive,
    const std::optional<ClockReading>& read_at) {
  alive_ = alive;
  read_at_ = read_at;
  written_ = std::move(written);
  if (!ring_.valid()) return Error{"the positions of its ring are impossible"};
  const bool went_on = written_->endPosition() > ring_.head();
  if (went_on && !alive) return Error{"its ring ends before its trace does"};
  if (went_on || written_->accounts().closed()) return std::string();
  // Records that the file refused are in no file.
  const bool refused =
      ring_.refused() > countersOf(written_->accounts()).write_failed;
  if (alive && ring_.tail() > written_->endPosition() && !refused) {
    return Error{
        "its process has written more since than these files have, which are "
        "a copy of an earlier moment"};
  }
  survey();
  const bool already_marked = written_->accounts().recovered();
  if (!alive && records_ == 0 && already_marked) return std::string();
  StringSink sink;
  if (write(sink) != RecoverOutcome::kRecovered) {
    return Error{"its records make no readable chunk"};
  }
  return std::move(sink.content);
}

// Determines what the files lack. Chunks state the positions they cover. It
// does not matter whether the process died before or after it freed the slots
// of the last one.
// Records that the sink refused may still be in the ring; they then no longer
// count as refused.
void StreamRecovery::survey() {
  start_ = std::max(written_->endPosition(), ring_.oldest());
  end_.position = start_;
  std::uint64_t given_up = 0;
  Ring::Record record;
  while (ring_.next(end_, record)) {
    const std::uint64_t rows = rowsOf(record.kind);
    records_ += rows;
    if (record.position < ring_.tail()) given_up += rows;
  }
  counters_ = countersOf(written_->accounts());
  counters_.deleted = written_->recordsDeleted();
  RecordCounters of_ring;
  of_ring.setRingDrops(ring_.drops());
  // Counters only grow. A ring with smaller counters than the file is damaged.
  if (of_ring.ring_full >= counters_.ring_full &&
      of_ring.issue_lost >= counters_.issue_lost) {
    counters_.setRingDrops(of_ring.thread_drops);
  }
  if (ring_.refused() > counters_.write_failed + given_up) {
    counters_.write_failed = ring_.refused() - given_up;
  }
}

RecoverOutcome StreamRecovery::append(std::string& why) {
  auto sink = FileSink::resume(written_->parts(), maxBytes(written_->header()),
                               counters_.deleted);
  if (!sink) {
    why = sink.error().message;
    return RecoverOutcome::kUnwritable;
  }
  const RecoverOutcome outcome = write(**sink);
  if (outcome == RecoverOutcome::kUnwritable) {
    why = "cannot write to " + (*sink)->location();
  } else if (outcome == RecoverOutcome::kUnreadable) {
    why = "damaged: its records make no readable chunk";
  }
  return outcome;
}

RecoverOutcome StreamRecovery::write(Sink& sink) {
  most_slots_ = std::min(kChunkSlots, sink.largestChunk() / kSlotBytes);
  builder_ = std::make_unique<ChunkBuilder>(header());
  RingImage::Cursor cursor{start_};
  RecoverOutcome outcome = RecoverOutcome::kRecovered;
  bool last = false;
  while (outcome == RecoverOutcome::kRecovered && !last) {
    outcome = writeFrom(sink, cursor, last);
  }
  // The last chunk may have deleted a part, which its accounts do not include.
  // A corrected chunk may delete one more.
  for (int more = 0; more < 2 && outcome == RecoverOutcome::kRecovered &&
                     sink.recordsDeleted() != counters_.deleted;
       ++more) {
    outcome = appendChunk(sink, ring_.head(), ring_.head(), true);
  }
  return outcome;
}

// Definitions from earlier chunks may make a chunk too large for readers. It is
// then written with half as many records. A single record always fits.
RecoverOutcome StreamRecovery::writeFrom(Sink& sink, RingImage::Cursor& cursor,
                                         bool& last) {
  for (std::uint64_t slots = most_slots_;; slots /= 2) {
    RingImage::Cursor at = cursor;
    last = !fill(at, slots);
    const std::uint64_t end = last ? ring_.head() : at.position;
    const auto outcome = appendChunk(sink, cursor.position, end, last);
    if (outcome != RecoverOutcome::kUnreadable || slots <= 1) {
      cursor = at;
      return outcome;
    }
  }
}

// Adds records of at most `slots` slots to the builder. Returns false if no
// more records follow.
bool StreamRecovery::fill(RingImage::Cursor& cursor, std::uint64_t slots) {
  const std::uint64_t first = cursor.position;
  Ring::Record record;
  while (ring_.next(cursor, record)) {
    builder_->add(record);
    if (builder_->isFull() || cursor.position - first >= slots) return true;
  }
  return false;
}

RecoverOutcome StreamRecovery::appendChunk(Sink& sink, std::uint64_t first,
                                           std::uint64_t end, bool last) {
  const std::uint64_t records = builder_->records();
  counters_.written += records;
  counters_.deleted = sink.recordsDeleted();
  v1::Payload payload = builder_->close(anchor(), accounts(last));
  builder_->clear();
  if (last && process_end_.seen_by() != 0) {
    *payload.mutable_process_end() = process_end_;
  }
  completeDefinitions(payload, *written_);
  const std::string& chunk =
      encoder_.encode(payload, {header().stream_id(), first, end});
  if (!isReadable(chunk)) {
    counters_.written -= records;
    return RecoverOutcome::kUnreadable;
  }
  if (!sink.append(chunk, records)) return RecoverOutcome::kUnwritable;
  TRACED_KILL_POINT("recovery appended");
  return RecoverOutcome::kRecovered;
}

v1::Accounts StreamRecovery::accounts(bool last) const {
  v1::Accounts accounts = written_->accounts();
  setCounters(accounts, counters_);
  // The file may have refused the closing chunk, for example on a full disk.
  accounts.set_closed(last && !alive_ && ring_.closed());
  accounts.set_recovered(last && !alive_);
  return accounts;
}

// The clocks at the process's end are unknown. The current clocks would extend
// its stream until now, so the last heartbeat is used.
ClockReading StreamRecovery::anchor() const {
  if (read_at_) return *read_at_;
  const bool has_chunk = written_->header().stream_id() != 0;
  const v1::ClockAnchor& anchor =
      has_chunk ? written_->anchor() : segment_.header.started();
  const ClockReading written = {anchor.monotonic_ns(), anchor.realtime_ns(),
                                anchor.boottime_ns()};
  const std::optional<ClockReading> beat = ring_.heartbeat();
  return beat && isBelievable(*beat, written, header()) ? *beat : written;
}

const v1::Header& StreamRecovery::header() const {
  const bool has_chunk = written_->header().stream_id() != 0;
  return has_chunk ? written_->header() : segment_.header;
}

}  // namespace traced
