#include "analysis/stream/marks.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace traced {

bool isAboutOperation(std::uint32_t kind) {
  return kind == v1::MARK_KIND_FAILURE || kind == v1::MARK_KIND_UNFINISHED ||
         kind == v1::MARK_KIND_UNDECIDED || kind == v1::MARK_KIND_LATE;
}

namespace {

bool isEvent(std::uint32_t kind) {
  switch (kind) {
    case v1::MARK_KIND_FLUSH:
    case v1::MARK_KIND_SETTINGS:
    case v1::MARK_KIND_ABORT:
    case v1::MARK_KIND_SHUTDOWN_FAILED:
    case v1::MARK_KIND_ENGINE_FAILED:
    case v1::MARK_KIND_EXCEPTION:
    case v1::MARK_KIND_DEVICE_CLOCK:
    case v1::MARK_KIND_DEVICE_UNTIMED:
      return true;
    default:
      return isAboutOperation(kind);
  }
}

}  // namespace

void Marks::add(const MarkRow& row) { rows_.push_back(row); }

void Marks::finish(Instant started, Instant last) {
  std::stable_sort(rows_.begin(), rows_.end(),
                   [](const MarkRow& a, const MarkRow& b) {
                     return a.position < b.position;
                   });
  // A position holds one record. If several marks claim it, the first counts.
  rows_.erase(std::unique(rows_.begin(), rows_.end(),
                          [](const MarkRow& a, const MarkRow& b) {
                            return a.position == b.position;
                          }),
              rows_.end());
  for (const MarkRow& row : rows_) {
    if (row.kind == v1::MARK_KIND_STEP) {
      endLastStep(row);
      Step& step = steps_.emplace_back();
      step.position = row.position;
      step.number = row.value;
      step.began = Instant(row.mark_ns);
    } else if (row.kind == v1::MARK_KIND_NO_STEP) {
      endLastStep(row);
    } else if (isEvent(row.kind)) {
      events_.push_back({row.position, static_cast<v1::MarkKind>(row.kind),
                         Instant(row.mark_ns), row.value, row.text});
      addDeviceTimes(row);
    }
  }
  pair(started, last);
  rows_ = {};
}

void Marks::endLastStep(const MarkRow& row) {
  if (steps_.empty()) return;
  Step& step = steps_.back();
  if (row.position >= step.end_position) return;
  step.end_position = row.position;
  step.ended = Instant(row.mark_ns);
}

// The error bound and the count only ever increase.
void Marks::addDeviceTimes(const MarkRow& row) {
  if (row.kind == v1::MARK_KIND_DEVICE_CLOCK) {
    device_times_.error_ns =
        std::max(device_times_.error_ns.value_or(0), row.value);
  } else if (row.kind == v1::MARK_KIND_DEVICE_UNTIMED &&
             row.value > device_times_.untimed) {
    device_times_.untimed = row.value;
    device_times_.text = row.text;
  }
}

void Marks::pair(Instant started, Instant last) {
  bool any = false;
  std::optional<Pause> open;
  for (const MarkRow& row : rows_) {
    const Instant at(row.mark_ns);
    if (row.kind == v1::MARK_KIND_DISABLED && !open) {
      open = Pause{row.position, row.position, at, at};
      any = true;
    } else if (row.kind == v1::MARK_KIND_ENABLED) {
      if (!any) open = Pause{0, 0, started, at};
      any = true;
      if (!open) continue;
      open->end_position = row.position;
      open->ended = at;
      pauses_.push_back(*open);
      open.reset();
    }
  }
  if (!open) return;
  open->end_position = std::numeric_limits<std::uint64_t>::max();
  open->ended = last;
  pauses_.push_back(*open);
}

std::optional<std::size_t> Marks::indexOf(std::uint64_t op_id) const {
  const auto after = std::upper_bound(
      steps_.begin(), steps_.end(), op_id,
      [](std::uint64_t id, const Step& step) { return id < step.position; });
  if (after == steps_.begin() || op_id >= std::prev(after)->end_position) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(after - steps_.begin()) - 1;
}

std::optional<std::uint64_t> Marks::stepOf(std::uint64_t op_id) const {
  const auto index = indexOf(op_id);
  if (!index) return std::nullopt;
  return steps_[*index].number;
}

std::uint64_t Marks::pausedNs() const {
  std::uint64_t ns = 0;
  for (const Pause& pause : pauses_) {
    ns += between(pause.began, pause.ended).value_or(0);
  }
  return ns;
}

}  // namespace traced
