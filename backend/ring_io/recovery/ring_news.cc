#include "ring_io/recovery/ring_news.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "ring_io/chunks/record_rows.h"
#include "ring_io/recovery/complete_definitions.h"
#include "ring_io/recovery/owner_rights.h"
#include "ring_io/recovery/written_stream.h"
#include "ring_io/sinks/trace_parts.h"
#include "trace_io/byte_source.h"
#include "trace_io/chunk_decoder.h"
#include "trace_io/chunk_scanner.h"

namespace traced {
namespace {

constexpr std::size_t kParts = 2;

void addChunks(const std::string& path, std::uint64_t stream_id,
               std::uint64_t bytes, WrittenChunks& chunks) {
  auto source = FileSource::open(path);
  if (!source) return;
  const std::uint64_t begin =
      (*source)->size() - std::min((*source)->size(), bytes);
  SourceTail end(**source, begin);
  ChunkScanner scanner(end);
  ChunkDecoder decoder;
  chunks.files.push_back(path);
  while (const auto found = scanner.next()) {
    if (decoder.parse(found->body) != DecodeStatus::kOk ||
        decoder.chunk().stream_id() != stream_id) {
      continue;
    }
    chunks.chunks.push_back({chunks.files.size() - 1,
                             begin + found->body_offset, found->body.size(),
                             decoder.chunk().end_position()});
  }
}

// Returns the chunks in the last `bytes` of the newest part of a trace and of
// the part before it.
WrittenChunks recentChunks(const std::string& part_0, std::uint64_t stream_id,
                           std::uint64_t bytes) {
  WrittenChunks chunks;
  const std::vector<TracePart> parts = existingParts(part_0);
  const std::size_t first = parts.size() - std::min(parts.size(), kParts);
  for (std::size_t i = first; i < parts.size(); ++i) {
    addChunks(parts[i].path, stream_id, bytes, chunks);
  }
  return chunks;
}

}  // namespace

namespace {

// Enough for chunks of several thousand operations each.
constexpr std::uint64_t kRecentBytes = 4 << 20;

}  // namespace

std::optional<Result<std::unique_ptr<RingNews>>> RingNews::open(
    const RingFile& ring) {
  auto tail = RingTail::open(ring);
  if (!tail) return std::nullopt;
  if (!*tail) return tail->error();
  return Result(std::unique_ptr<RingNews>(new RingNews(**std::move(tail))));
}

RingNews::RingNews(std::unique_ptr<RingTail> tail)
    : tail_(std::move(tail)), builder_(v1::Header()) {}

bool RingNews::poll() {
  rows_.clear();
  definitions_.Clear();
  const bool readable =
      tail_->poll([this](const Ring::Record& record) { add(record); });
  if (!builder_.empty()) {
    definitions_ = builder_.close(readClocks(), {});
    definitions_.clear_accounts();
    builder_.clear();
  }
  return readable;
}

void RingNews::add(const Ring::Record& record) {
  if (rowsOf(record.kind) == 0) return builder_.add(record);
  forEachRow(record, [this](const auto& row) { rows_.emplace_back(row); });
}

WrittenTrace RingNews::trace() const {
  return {tail_->tracePath(), tail_->header().stream_id(), tail_->uid(),
          tail_->gid()};
}

v1::Payload findDefinitions(const WrittenTrace& trace, v1::Payload named) {
  // Act as the ring's owner, who chose the file names.
  const OwnerRights rights(trace.uid, trace.gid);
  if (!rights.held()) return v1::Payload();
  auto written = WrittenStream::of(
      recentChunks(trace.path, trace.stream_id, kRecentBytes));
  if (written) completeDefinitions(named, **written);
  named.clear_issued();
  return named;
}

}  // namespace traced
