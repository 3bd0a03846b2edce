#include "recorder/live_rings.h"

#include <memory>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "recorder/process_info.h"
#include "recorder/recover.h"
#include "recorder/recovery.h"
#include "recorder/segment_content.h"
#include "recorder/segment_file.h"
#include "recorder/trace_parts.h"

namespace traced {
namespace {

std::optional<LiveRing> lookInto(const SegmentFile& file,
                                 const std::vector<std::string>& traces) {
  LiveRing ring;
  ring.path = file.path();
  // Both before the ring is read: what is said to be all may be more.
  std::optional<ClockReading> alive_at;
  ring.alive = file.isAlive();
  if (ring.alive) alive_at = readClocks();
  const std::string bytes = file.readLive();
  const Result<SegmentContent> content = parseSegment(bytes);
  // Nothing holds the file to the name it had before.
  if (!content || !isAmong(content->trace_path, traces)) return std::nullopt;
  const v1::Header& header = content->header;
  if (header.boot_id() != readHostInfo().boot_id) return std::nullopt;
  ring.stream_id = header.stream_id();
  ring.rank = header.rank();
  ring.pid = header.pid();
  Result<std::string> chunks = Recovery(*content, bytes).look(alive_at);
  if (chunks) ring.chunks = *std::move(chunks);
  return ring;
}

}  // namespace

std::vector<LiveRing> lookIntoRings(const std::vector<std::string>& directories,
                                    const std::vector<std::string>& traces) {
  std::vector<LiveRing> rings;
  for (const std::string& path : findSegments(directories)) {
    const std::unique_ptr<SegmentFile> file = SegmentFile::open(path);
    if (!file || file->isBeingMade()) continue;
    if (!isAmong(file->tracePath(), traces)) continue;
    if (auto ring = lookInto(*file, traces)) rings.push_back(*std::move(ring));
  }
  return rings;
}

}  // namespace traced
