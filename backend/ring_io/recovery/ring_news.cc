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
  switch (record.kind) {
    case RecordKind::kIssue:
      rows_.emplace_back(rowOf(record.position, record.as<IssueRecord>()));
      break;
    case RecordKind::kReturn:
      rows_.emplace_back(rowOf(record.as<ReturnRecord>()));
      break;
    case RecordKind::kDone:
      rows_.emplace_back(rowOf(record.as<DoneRecord>()));
      break;
    case RecordKind::kWait:
      rows_.emplace_back(rowOf(record.as<WaitRecord>()));
      break;
    case RecordKind::kReturnAndWait: {
      const auto both = record.as<ReturnAndWaitRecord>();
      rows_.emplace_back(rowOf(both.returned()));
      rows_.emplace_back(rowOf(both.waited()));
      break;
    }
    case RecordKind::kRelease:
      rows_.emplace_back(rowOf(record.as<ReleaseRecord>()));
      break;
    case RecordKind::kMethod:
      rows_.emplace_back(rowOf(record.as<MethodRecord>()));
      break;
    case RecordKind::kMark:
      rows_.emplace_back(rowOf(record.position, record.as<MarkRecord>()));
      break;
    default:
      builder_.add(record);
      break;
  }
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
