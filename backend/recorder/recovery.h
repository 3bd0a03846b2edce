// Recovery brings back one stream: from a copy of its dead process's segment to
// the end of its trace.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "recorder/accounts.h"
#include "recorder/chunk_builder.h"
#include "recorder/recover.h"
#include "recorder/ring_image.h"
#include "recorder/segment_content.h"
#include "recorder/sink.h"
#include "recorder/written_stream.h"
#include "trace_io/chunk_encoder.h"

namespace traced {

class Recovery {
 public:
  // Of `segment`, whose whole bytes are `file`; both outlive this.
  Recovery(const SegmentContent& segment, std::string_view file);

  // Sets the outcome, the reason, and what was counted.
  void run(bool dry_run, RecoveredSegment& result);

  // What the trace lacks, as chunks that nothing is done with: "" when that is
  // nothing, or when the process went on meanwhile. `alive_at`: its process
  // lived, and had recorded no more than is here by then.
  Result<std::string> look(const std::optional<ClockReading>& alive_at);

 private:
  RecoverOutcome tryRun(bool dry_run, std::string& why);
  // Finds out what the trace lacks.
  void survey();
  RecoverOutcome append(std::string& why);
  // Gives all of it to the sink.
  RecoverOutcome write(Sink& sink);
  // Writes what the builder has as the chunk of positions [first, end).
  RecoverOutcome appendChunk(Sink& sink, std::uint64_t first, std::uint64_t end,
                             bool last);
  v1::Accounts accounts(bool last) const;
  ClockReading anchor() const;
  // That of the file, which has a checksum, if there is any.
  const v1::Header& header() const;

  const SegmentContent& segment_;
  const RingImage ring_;
  std::unique_ptr<WrittenStream> written_;
  // The first position that no chunk has and the ring still has.
  std::uint64_t start_ = 0;
  std::optional<ClockReading> alive_at_;
  // Where the survey ended.
  RingImage::Cursor end_;
  std::uint64_t records_ = 0;
  RecordCounters counters_;
  std::unique_ptr<ChunkBuilder> builder_;
  ChunkEncoder encoder_;
};

}  // namespace traced
