// StreamRecovery recovers one stream: it appends the records in a copy of a
// dead process's segment to the end of the trace.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "ring_io/chunks/accounts.h"
#include "ring_io/chunks/chunk_builder.h"
#include "ring_io/recovery/recover_segments.h"
#include "ring_io/recovery/ring_image.h"
#include "ring_io/recovery/segment_content.h"
#include "ring_io/recovery/written_stream.h"
#include "ring_io/sinks/sink.h"
#include "trace_io/chunk_encoder.h"

namespace traced {

class StreamRecovery {
 public:
  // `file` holds the whole bytes of `segment`. Both must outlive this object.
  StreamRecovery(const SegmentContent& segment, std::string_view file);

  // Appends to the trace whose part 0 is `trace`. Sets the outcome, the reason
  // and the counters of `result`.
  void run(const std::string& trace, const RecoverOptions& options,
           RecoveredSegment& result);

  // Returns the chunks that `written` lacks, without writing them. Returns ""
  // if it lacks none. Returns an error of one sentence if the ring is invalid
  // or does not continue `written`. Call it once.
  // `alive`: the process was alive when the ring was read, and had recorded
  // nothing beyond it. `read_at` is that time on the process's clocks, if
  // known.
  Result<std::string> missingChunks(std::unique_ptr<WrittenStream> written,
                                    bool alive,
                                    const std::optional<ClockReading>& read_at);

 private:
  // Does the work of run(), except for the counters. Sets `why` on failure.
  RecoverOutcome tryRun(const std::string& trace, const RecoverOptions& options,
                        std::string& why);
  // Determines what the trace lacks.
  void survey();
  RecoverOutcome append(std::string& why);
  // Writes all missing chunks to the sink.
  RecoverOutcome write(Sink& sink);
  // Writes the next chunk from the cursor on and advances the cursor. Sets
  // `last` if it is the last one.
  RecoverOutcome writeFrom(Sink& sink, RingImage::Cursor& cursor, bool& last);
  bool fill(RingImage::Cursor& cursor, std::uint64_t slots);
  // Writes the builder's content as the chunk of positions [first, end).
  RecoverOutcome appendChunk(Sink& sink, std::uint64_t first, std::uint64_t end,
                             bool last);
  v1::Accounts accounts(bool last) const;
  // Returns the last time at which the process is known to have lived.
  ClockReading anchor() const;
  // Returns the header from the trace file, which has a checksum, or else the
  // segment's.
  const v1::Header& header() const;

  const SegmentContent& segment_;
  const RingImage ring_;
  std::unique_ptr<WrittenStream> written_;
  // The first position that is in the ring but in no chunk.
  std::uint64_t start_ = 0;
  bool alive_ = false;
  std::optional<ClockReading> read_at_;
  v1::ProcessEnd process_end_;
  // End of the survey.
  RingImage::Cursor end_;
  std::uint64_t records_ = 0;
  // Maximum slots of one chunk.
  std::uint64_t most_slots_ = 0;
  RecordCounters counters_;
  std::unique_ptr<ChunkBuilder> builder_;
  ChunkEncoder encoder_;
};

}  // namespace traced
