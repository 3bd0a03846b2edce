#include "recorder/recovery.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "recorder/complete_definitions.h"
#include "recorder/file_sink.h"
#include "recorder/kill_point.h"
#include "recorder/record.h"
#include "trace_io/byte_source.h"
#include "trace_io/chunk_decoder.h"
#include "trace_io/chunk_scanner.h"

namespace traced {
namespace {

// A chunk has at most this many slots, as the writer's.
constexpr std::uint64_t kChunkSlots = 65536;

std::uint64_t maxBytes(const v1::Header& header) {
  std::uint64_t bytes = 0;
  const auto setting = header.settings().find("TRACED_MAX_BYTES");
  if (setting == header.settings().end()) return 0;
  const std::string& text = setting->second;
  std::from_chars(text.data(), text.data() + text.size(), bytes);
  return bytes;
}

// Whether a reader accepts the chunk: a damaged ring must not spoil a trace.
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

Recovery::Recovery(const SegmentContent& segment, std::string_view file)
    : segment_(segment),
      ring_(file.substr(segment.ring_offset), segment.slots) {}

void Recovery::run(bool dry_run, RecoveredSegment& result) {
  result.outcome = tryRun(dry_run, result.why);
  if (result.outcome != RecoverOutcome::kRecovered) return;
  result.records = records_;
  result.unfinished_slots = end_.unfinished_slots;
  result.broken_records = end_.broken_records;
}

RecoverOutcome Recovery::tryRun(bool dry_run, std::string& why) {
  if (!ring_.valid()) {
    why = "damaged: the positions of its ring are impossible";
    return RecoverOutcome::kUnreadable;
  }
  auto written =
      WrittenStream::open(segment_.trace_path, segment_.header.stream_id());
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
  const bool said =
      written_->accounts().closed() || written_->accounts().recovered();
  if (dry_run || (records_ == 0 && said)) return RecoverOutcome::kRecovered;
  return append(why);
}

Result<std::string> Recovery::look(
    const std::optional<ClockReading>& alive_at) {
  alive_at_ = alive_at;
  if (!ring_.valid()) return Error{"the positions of its ring are impossible"};
  auto written =
      WrittenStream::open(segment_.trace_path, segment_.header.stream_id());
  if (!written) return written.error();
  written_ = std::move(*written);
  const bool went_on = written_->endPosition() > ring_.head();
  if (went_on || written_->accounts().closed()) return std::string();
  survey();
  StringSink sink;
  if (write(sink) != RecoverOutcome::kRecovered) {
    return Error{"its records make no readable chunk"};
  }
  return std::move(sink.content);
}

// The chunks say what they cover, so it does not matter whether the process
// died before or after it freed the slots of the last one. What the sink
// refused may still be in the ring, and is then refused no more.
void Recovery::survey() {
  start_ = std::max(written_->endPosition(), ring_.oldest());
  end_.position = start_;
  std::uint64_t given_up = 0;
  Ring::Record record;
  while (ring_.next(end_, record)) {
    if (!isEvent(record.kind)) continue;
    ++records_;
    given_up += record.position < ring_.tail();
  }
  counters_ = countersOf(written_->accounts());
  counters_.deleted = written_->recordsDeleted();
  RecordCounters of_ring;
  of_ring.setRingDrops(ring_.drops());
  // Counters only grow: a ring that says less than the file is damaged.
  if (of_ring.ring_full >= counters_.ring_full &&
      of_ring.issue_lost >= counters_.issue_lost) {
    counters_.setRingDrops(of_ring.thread_drops);
  }
  if (ring_.refused() > counters_.write_failed + given_up) {
    counters_.write_failed = ring_.refused() - given_up;
  }
}

RecoverOutcome Recovery::append(std::string& why) {
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

RecoverOutcome Recovery::write(Sink& sink) {
  const std::uint64_t chunk_slots =
      std::min(kChunkSlots, sink.largestChunk() / kSlotBytes);
  builder_ = std::make_unique<ChunkBuilder>(header());
  RingImage::Cursor cursor{start_};
  std::uint64_t first = start_;
  RecoverOutcome outcome = RecoverOutcome::kRecovered;
  Ring::Record record;
  while (outcome == RecoverOutcome::kRecovered && ring_.next(cursor, record)) {
    builder_->add(record);
    if (cursor.position - first < chunk_slots) continue;
    outcome = appendChunk(sink, first, cursor.position, false);
    first = cursor.position;
  }
  if (outcome == RecoverOutcome::kRecovered) {
    outcome = appendChunk(sink, first, ring_.head(), true);
  }
  // The last chunk deleted a part, which it could not know.
  if (outcome == RecoverOutcome::kRecovered &&
      sink.recordsDeleted() != counters_.deleted) {
    outcome = appendChunk(sink, ring_.head(), ring_.head(), true);
  }
  return outcome;
}

RecoverOutcome Recovery::appendChunk(Sink& sink, std::uint64_t first,
                                     std::uint64_t end, bool last) {
  const std::uint64_t records = builder_->records();
  counters_.written += records;
  counters_.deleted = sink.recordsDeleted();
  v1::Payload payload = builder_->close(anchor(), accounts(last));
  builder_->clear();
  completeDefinitions(payload, *written_);
  const std::string& chunk =
      encoder_.encode(payload, {header().stream_id(), first, end});
  if (!isReadable(chunk)) return RecoverOutcome::kUnreadable;
  if (!sink.append(chunk, records)) return RecoverOutcome::kUnwritable;
  TRACED_KILL_POINT("recovery appended");
  return RecoverOutcome::kRecovered;
}

v1::Accounts Recovery::accounts(bool last) const {
  v1::Accounts accounts = written_->accounts();
  setCounters(accounts, counters_);
  accounts.set_closed(false);
  accounts.set_recovered(last && !alive_at_);
  return accounts;
}

// The process's clocks at its end are not known, and those of now would make
// its stream last until now: any earlier reading ties the clocks as well.
ClockReading Recovery::anchor() const {
  if (alive_at_) return *alive_at_;
  const bool has_chunk = written_->header().stream_id() != 0;
  const v1::ClockAnchor& anchor =
      has_chunk ? written_->anchor() : segment_.header.started();
  return {anchor.monotonic_ns(), anchor.realtime_ns(), anchor.boottime_ns()};
}

const v1::Header& Recovery::header() const {
  const bool has_chunk = written_->header().stream_id() != 0;
  return has_chunk ? written_->header() : segment_.header;
}

}  // namespace traced
