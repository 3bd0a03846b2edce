#include "recorder/standstill/idle_watch.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "ring_io/chunks/record_rows.h"

namespace traced {
namespace {

// Shorter gaps are too many, and change nothing.
constexpr std::int64_t kMinGapNs = 1'000'000;
// Time after which a gap counts about half.
constexpr double kMemoryS = 60;
constexpr std::int64_t kUsualGaps = 10;
// One long pause must not delay the sample of a hang.
constexpr std::int64_t kMaxFirst = 6;
// Later samples, as multiples of the first one: with 5 s after 10, 30, 60 and
// 300 s, and every 300 s.
constexpr std::int64_t kMultiples[] = {1, 2, 6, 12};
constexpr std::int64_t kLastMultiple = 60;

}  // namespace

void IdleWatch::update(const Ring::Record& record) {
  if (after_ns_ == 0) return;
  forEachRow(record, [this](const auto& row) { note(row); });
}

template <typename Row>
void IdleWatch::note(const Row& row) {
  if constexpr (std::is_same_v<Row, IssueRow>) {
    note(row.issue_ns);
  } else if constexpr (std::is_same_v<Row, WaitRow>) {
    note(row.endNs());
  } else if constexpr (std::is_same_v<Row, FunctionRow>) {
    note(row.at_ns);
  }
}

void IdleWatch::note(std::int64_t at_ns) {
  const std::int64_t gap_ns = at_ns - last_ns_;
  if (gap_ns <= 0) return;
  last_ns_ = at_ns;
  if (std::exchange(has_begun_, true) && gap_ns >= kMinGapNs) {
    const double gap = static_cast<double>(gap_ns) / 1e9;
    const double kept = kMemoryS / (kMemoryS + gap);
    gaps_ = gaps_ * kept + gap;
    squares_ = squares_ * kept + gap * gap;
  }
  next_ns_ =
      std::clamp(kUsualGaps * usualGapNs(), after_ns_, kMaxFirst * after_ns_);
}

std::int64_t IdleWatch::usualGapNs() const {
  return gaps_ > 0 ? static_cast<std::int64_t>(squares_ / gaps_ * 1e9) : 0;
}

bool IdleWatch::isDue(std::int64_t now_ns) {
  const std::int64_t idle_ns = now_ns - last_ns_;
  if (after_ns_ == 0 || idle_ns < next_ns_) return false;
  next_ns_ = sampleAfter(idle_ns);
  return true;
}

std::int64_t IdleWatch::sampleAfter(std::int64_t idle_ns) const {
  for (const std::int64_t multiple : kMultiples) {
    if (multiple * after_ns_ > idle_ns) return multiple * after_ns_;
  }
  const std::int64_t step_ns = kLastMultiple * after_ns_;
  return (idle_ns / step_ns + 1) * step_ns;
}

}  // namespace traced
