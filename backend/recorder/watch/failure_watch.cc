#include "recorder/watch/failure_watch.h"

#include <algorithm>
#include <utility>

#include "ring_io/chunks/record_rows.h"

namespace traced {

void FailureWatch::update(const Ring::Record& record) {
  forEachRow(record, [this](const auto& row) {
    if constexpr (requires { row.outcome; }) {
      if (row.outcome != 0) note(row.op, row.lastNs(), row.error);
    }
  });
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
