// StreamRecovery brings back one stream: from a copy of its dead process's
// segment to the end of its trace.

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
  // Of `segment`, whose whole bytes are `file`; both outlive this.
  StreamRecovery(const SegmentContent& segment, std::string_view file);

  // To the end of the trace whose part 0 is `trace`. Sets the outcome, the
  // reason, and what was counted.
  void run(const std::string& trace, const RecoverOptions& options,
           RecoveredSegment& result);

  // What `written` lacks, as chunks that nothing is done with: "" when that is
  // nothing. `alive`: its process lived, and had recorded no more than is here
  // at `read_at`, where that is known on its clocks.
  Result<std::string> missingChunks(std::unique_ptr<WrittenStream> written,
                                    bool alive,
                                    const std::optional<ClockReading>& read_at);

 private:
  RecoverOutcome tryRun(const std::string& trace, const RecoverOptions& options,
                        std::string& why);
  // Finds out what the trace lacks.
  void survey();
  RecoverOutcome append(std::string& why);
  // Gives all of it to the sink.
  RecoverOutcome write(Sink& sink);
  // Writes the next chunk from the cursor on, and moves it. `last`: of all.
  RecoverOutcome writeFrom(Sink& sink, RingImage::Cursor& cursor, bool& last);
  bool fill(RingImage::Cursor& cursor, std::uint64_t slots);
  // Writes what the builder has as the chunk of positions [first, end).
  RecoverOutcome appendChunk(Sink& sink, std::uint64_t first, std::uint64_t end,
                             bool last);
  v1::Accounts accounts(bool last) const;
  // Until when its process is known to have lived.
  ClockReading anchor() const;
  // That of the file, which has a checksum, if there is any.
  const v1::Header& header() const;

  const SegmentContent& segment_;
  const RingImage ring_;
  std::unique_ptr<WrittenStream> written_;
  // The first position that no chunk has and the ring still has.
  std::uint64_t start_ = 0;
  bool alive_ = false;
  std::optional<ClockReading> read_at_;
  v1::ProcessEnd process_end_;
  // Where the survey ended.
  RingImage::Cursor end_;
  std::uint64_t records_ = 0;
  // Of one chunk.
  std::uint64_t most_slots_ = 0;
  RecordCounters counters_;
  std::unique_ptr<ChunkBuilder> builder_;
  ChunkEncoder encoder_;
};

}  // namespace traced
