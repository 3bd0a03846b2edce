#include "ring_io/recovery/live_rings.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include "base/answering_path.h"
#include "ring_io/recovery/ring_image.h"
#include "ring_io/recovery/segment_content.h"
#include "ring_io/recovery/segment_file.h"
#include "ring_io/recovery/stream_recovery.h"
#include "ring_io/recovery/written_stream.h"
#include "ring_io/settings/process_info.h"
#include "ring_io/sinks/trace_parts.h"

namespace traced {
namespace {

namespace fs = std::filesystem;

// Returns "" if the ring is of this boot.
std::string whyNotOfThisBoot(const v1::Header& header) {
  return header.boot_id() == readHostInfo().boot_id
             ? ""
             : "it is of another boot or host";
}

}  // namespace

std::vector<RingFile> findRings(const std::vector<std::string>& directories) {
  std::vector<RingFile> rings;
  for (const std::string& directory : directories) {
    std::error_code error;
    fs::directory_iterator entry(directory, error);
    for (; !error && entry != fs::directory_iterator();
         entry.increment(error)) {
      const std::string name = entry->path().filename().string();
      const std::uint64_t stream_id = streamIdIn(name);
      struct stat status;
      if (stream_id == 0 || lstat(entry->path().c_str(), &status) != 0 ||
          !S_ISREG(status.st_mode)) {
        continue;
      }
      rings.push_back({entry->path().string(), stream_id, status.st_uid});
    }
  }
  std::sort(
      rings.begin(), rings.end(),
      [](const RingFile& a, const RingFile& b) { return a.path < b.path; });
  return rings;
}

bool namesOneOf(const RingFile& ring, const std::vector<std::string>& traces) {
  const std::unique_ptr<SegmentFile> file = SegmentFile::open(ring.path);
  return file && file->whyRefused().empty() &&
         isAmong(file->tracePath(), traces);
}

std::optional<uid_t> traceOwner(const RingFile& ring) {
  const std::unique_ptr<SegmentFile> file = SegmentFile::open(ring.path);
  struct stat status;
  if (!file || !answersInTime(file->tracePath()) ||
      stat(file->tracePath().c_str(), &status) != 0) {
    return std::nullopt;
  }
  return status.st_uid;
}

std::optional<Result<RingReading>> readRing(const RingFile& ring) {
  errno = 0;
  const std::unique_ptr<SegmentFile> file = SegmentFile::open(ring.path);
  if (!file) {
    if (errno == ENOENT) return std::nullopt;
    return Error{std::string("it cannot be read: ") + std::strerror(errno)};
  }
  if (file->isBeingCreated()) return std::nullopt;
  const std::string refused = file->whyRefusedLive();
  if (!refused.empty()) return Error{refused};
  RingReading reading;
  reading.path = ring.path;
  reading.uid = file->uid();
  // Take both before the ring is read: the copy may then contain more than
  // stated, but not less.
  reading.alive = file->isAlive();
  const ClockReading now = readClocks();
  reading.segment = file->readLive();
  const std::string_view bytes = reading.segment.bytes();
  const Result<SegmentContent> content = parseSegment(bytes);
  if (!content) return content.error();
  if (isUnfinished(bytes)) return std::nullopt;
  const v1::Header& header = content->header;
  const std::string why = whyNotOfThisBoot(header);
  if (!why.empty()) return Error{why};
  if (reading.alive && sharesClocks(header)) reading.read_at = now;
  reading.stream_id = header.stream_id();
  reading.rank = header.rank();
  reading.pid = header.pid();
  return Result<RingReading>(std::move(reading));
}

Result<std::string> chunksBeyond(const RingReading& ring,
                                 const WrittenChunks& written) {
  const std::string_view bytes = ring.segment.bytes();
  const Result<SegmentContent> content = parseSegment(bytes);
  if (!content) return content.error();
  auto stream = WrittenStream::of(written);
  if (!stream) return stream.error();
  return StreamRecovery(*content, bytes)
      .missingChunks(std::move(*stream), ring.alive, ring.read_at);
}

}  // namespace traced
