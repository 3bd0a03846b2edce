#include "recorder/watch/failure_watch.h"

#include <algorithm>
#include <utility>

namespace traced {

void FailureWatch::see(const Ring::Record& record) {
  if (record.kind == RecordKind::kReturn) {
    const auto returned = record.as<ReturnRecord>();
    if (returned.outcome == Outcome::kOk) return;
    note(returned.op, returned.return_ns, returned.error);
  } else if (record.kind == RecordKind::kDone) {
    const auto done = record.as<DoneRecord>();
    if (done.outcome == Outcome::kOk) return;
    note(done.op, done.end_ns, done.error);
  } else if (record.kind == RecordKind::kWait) {
    see(record.as<WaitRecord>());
  } else if (record.kind == RecordKind::kReturnAndWait) {
    see(record.as<ReturnAndWaitRecord>().waited());
  }
}

void FailureWatch::see(const WaitRecord& wait) {
  if (wait.outcome == Outcome::kOk) return;
  note(wait.op, wait.begin_ns + static_cast<std::int64_t>(wait.wait_ns),
       wait.error);
}

void FailureWatch::note(OpId op, std::int64_t at_ns, std::uint32_t error) {
  if (std::find(known_.begin(), known_.end(), op) != known_.end()) return;
  known_[next_++ % known_.size()] = op;
  if (!news_) news_ = MarkRecord{at_ns, op, MarkKind::kFailure, error};
}

std::optional<MarkRecord> FailureWatch::take() {
  return std::exchange(news_, std::nullopt);
}

}  // namespace traced
