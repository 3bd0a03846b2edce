#include "ring_io/recovery/ring_news.h"

#include <utility>

#include "base/clock.h"
#include "ring_io/chunks/record_rows.h"
#include "ring_io/recovery/complete_definitions.h"
#include "ring_io/recovery/owner_rights.h"
#include "ring_io/recovery/recent_chunks.h"
#include "ring_io/recovery/written_stream.h"

namespace traced {
namespace {

// Chunks of some thousand operations each.
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

v1::Payload lookUpDefinitions(const WrittenTrace& trace, v1::Payload named) {
  // Who owns the ring names the files.
  const OwnerRights rights(trace.uid, trace.gid);
  if (!rights.held()) return v1::Payload();
  auto written = WrittenStream::of(
      recentChunks(trace.path, trace.stream_id, kRecentBytes));
  if (written) completeDefinitions(named, **written);
  named.clear_issued();
  return named;
}

}  // namespace traced
