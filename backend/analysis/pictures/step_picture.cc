#include "analysis/pictures/step_picture.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "analysis/job/held_time.h"
#include "analysis/stream/losses.h"
#include "analysis/time_split/certified_times.h"
#include "trace_io/wrapping.h"

namespace traced {
namespace {

// The length of any two instants, however far apart in a damaged file.
std::uint64_t lengthNs(std::int64_t from_ns, std::int64_t until_ns) {
  return static_cast<std::uint64_t>(wrappingDifference(until_ns, from_ns));
}

std::int64_t before(std::int64_t ns, std::uint64_t by_ns) {
  const auto by =
      static_cast<std::int64_t>(std::min<std::uint64_t>(by_ns, kLatestNs));
  return std::max(ns, -kLatestNs) - by;
}

void addTimes(StepTimes& sum, const StepTimes& times) {
  sum.count += times.count;
  sum.longest_ns = std::max(sum.longest_ns, times.longest_ns);
  sum.computing_ns += times.computing_ns;
  sum.hidden_ns += times.hidden_ns;
  sum.calls_ns += times.calls_ns;
  sum.wait_for_peers_ns += times.wait_for_peers_ns;
  sum.transfer_ns += times.transfer_ns;
  sum.uncertain_ns += times.uncertain_ns;
  sum.undecided_ns += times.undecided_ns;
  sum.may_wait_ns += times.may_wait_ns;
  sum.not_ended += times.not_ended;
  sum.waits_unknown += times.waits_unknown;
}

}  // namespace

StepPictureBuilder::StepPictureBuilder(bool by_step, std::int64_t first_ns,
                                       std::int64_t last_ns)
    : first_ns_(first_ns) {
  picture_.by_step = by_step;
  if (by_step) return;
  picture_.stretch_ns = notBelowZero(last_ns - first_ns) / kStretches + 1;
}

void StepPictureBuilder::begin(const ReadyTable::Stream& stream) {
  stream_ = &stream;
  stretches_.clear();
  changes_.clear();
  if (picture_.by_step) {
    cutBySteps();
  } else {
    cutByTime();
  }
}

void StepPictureBuilder::cutBySteps() {
  const StreamTable& table = stream_->table;
  const Instant start(table.header.started().monotonic_ns());
  const bool hangs = endsInOperation();
  for (const Marks::Step& step : table.marks.steps()) {
    // In a hang, the last step lasts until the end of the stream.
    const bool hung = hangs && !step.ended.known();
    const Instant ended = hung ? table.last : step.ended;
    // Outside the reported window, operations were removed.
    if (!between(start, step.began) || !between(step.began, ended) ||
        !between(ended, table.last)) {
      continue;
    }
    const std::int64_t begin_ns = step.began.ns();
    if (!stretches_.empty() && begin_ns < stretches_.back().end_ns) continue;
    stretches_.push_back({begin_ns, ended.ns(), step.number, !hung});
  }
}

void StepPictureBuilder::cutByTime() {
  const StreamTable& table = stream_->table;
  const std::int64_t start_ns = table.header.started().monotonic_ns();
  if (!between(Instant(start_ns), table.last) || start_ns < -kLatestNs ||
      table.last.ns() > kLatestNs) {
    return;
  }
  const std::int64_t common_ns = stream_->clock.commonNs(start_ns);
  if (common_ns < -kLatestNs || common_ns > kLatestNs) return;
  const std::int64_t offset_ns = common_ns - start_ns;
  const auto length_ns = static_cast<std::int64_t>(picture_.stretch_ns);
  for (std::uint64_t i = 0; i < kStretches; ++i) {
    const std::int64_t begin_ns =
        first_ns_ - offset_ns + static_cast<std::int64_t>(i) * length_ns;
    const std::int64_t from_ns = std::max(begin_ns, start_ns);
    const std::int64_t until_ns =
        std::min(begin_ns + length_ns, table.last.ns());
    if (from_ns < until_ns) stretches_.push_back({from_ns, until_ns, i});
  }
}

void StepPictureBuilder::keep(std::int64_t from_ns, std::int64_t until_ns,
                              Kind kind) {
  if (from_ns >= until_ns) return;
  changes_.push_back({from_ns, kind, 1});
  changes_.push_back({until_ns, kind, -1});
}

void StepPictureBuilder::add(std::size_t operation, const OperationSplit& split,
                             bool unseen) {
  const AssembledOperation& op = stream_->table.operations[operation];
  const ReadyTime& ready = stream_->ready[operation];
  if (op.returned.known()) keep(op.issued.ns(), op.returned.ns(), kCall);
  if (ready.at.known()) {
    if (op.ended.known()) keep(ready.at.ns(), op.ended.ns(), kHidden);
    keepWait(op, ready.at.ns(), split);
  }
  if (!unseen) return;
  const auto window = UnseenWaits::windowOf(op, stream_->table);
  keep(window.begin_ns, window.end_ns, kMayWait);
  if (Stretch* stretch = stretchAt(op.issued.ns())) ++stretch->waits_unknown;
}

StepPictureBuilder::Stretch* StepPictureBuilder::stretchAt(std::int64_t ns) {
  const auto stretch = std::upper_bound(
      stretches_.begin(), stretches_.end(), ns,
      [](std::int64_t at, const Stretch& one) { return at < one.end_ns; });
  const bool is_in = stretch != stretches_.end() && stretch->begin_ns <= ns;
  return is_in ? &*stretch : nullptr;
}

// Adds the time for which an operation blocked the program or its device.
void StepPictureBuilder::keepWait(const AssembledOperation& op,
                                  std::int64_t ready_ns,
                                  const OperationSplit& split) {
  std::int64_t from_ns = 0;
  std::int64_t until_ns = 0;
  if (op.stall_ns_plus_1 > 0 && op.ended.known()) {
    until_ns = op.ended.ns();
    from_ns = before(until_ns, op.stall_ns_plus_1 - 1);
  } else if (between(op.wait_began, op.wait_ended)) {
    from_ns = op.wait_began.ns();
    until_ns = op.wait_ended.ns();
  } else if (between(op.ended, op.returned)) {
    from_ns = op.issued.ns();
    until_ns = op.returned.ns();
  } else {
    return;
  }
  if (!split.wait_for_peers) return keep(from_ns, until_ns, kUndecided);
  const std::int64_t all_ready_ns = std::max(
      from_ns,
      std::min(until_ns, ready_ns + static_cast<std::int64_t>(notBelowZero(
                                        split.wait_for_peers->ns))));
  const std::uint64_t off_ns = offByNs(*split.wait_for_peers);
  if (Stretch* stretch = off_ns > 0 ? stretchAt(from_ns) : nullptr) {
    stretch->uncertain_ns += std::min(off_ns, lengthNs(from_ns, until_ns));
  }
  keep(from_ns, all_ready_ns, kWaitForPeers);
  keep(all_ready_ns, until_ns, split.transfer ? kTransfer : kUndecided);
}

bool StepPictureBuilder::endsInOperation() const {
  const StreamTable& table = stream_->table;
  return std::any_of(
      table.operations.begin(), table.operations.end(),
      [&table](const AssembledOperation& op) { return table.isInFlight(op); });
}

void StepPictureBuilder::keepWhatIsUnderWay() {
  const StreamTable& table = stream_->table;
  // For an asynchronous operation, it is unknown whether the program waits:
  // kMayWait covers that.
  const bool is_stuck =
      std::any_of(table.operations.begin(), table.operations.end(),
                  [&table](const AssembledOperation& op) {
                    return table.isInFlight(op) && !table.callOf(op)->async();
                  });
  if (!is_stuck || !table.last.known()) return;
  Instant latest;
  const auto update = [&latest](Instant instant) {
    if (instant.isAfter(latest)) latest = instant;
  };
  for (const AssembledOperation& op : table.operations) {
    update(op.issued);
    update(op.returned);
    update(op.wait_ended);
  }
  if (latest.known()) keep(latest.ns(), table.last.ns(), kUndecided);
}

void StepPictureBuilder::keepUnrecorded() {
  const StreamTable& table = stream_->table;
  for (const Pause& pause : table.marks.pauses()) {
    if (between(pause.began, pause.ended)) {
      keep(pause.began.ns(), pause.ended.ns(), kMayWait);
    }
  }
  // A pause at the end sets `lost_before` too, without any loss.
  Losses losses;
  losses.add(table);
  if (!losses.any()) return;
  // Records are complete from the issue of this operation on.
  Instant complete = table.last;
  for (const AssembledOperation& op : table.operations) {
    if (op.id >= table.lost_before && between(op.issued, complete)) {
      complete = op.issued;
    }
  }
  const Instant start(table.header.started().monotonic_ns());
  if (between(start, complete)) keep(start.ns(), complete.ns(), kMayWait);
}

void StepPictureBuilder::end() {
  keepWhatIsUnderWay();
  keepUnrecorded();
  std::sort(changes_.begin(), changes_.end(),
            [](const Change& a, const Change& b) { return a.ns < b.ns; });
  int open[kKinds] = {};
  std::size_t next = 0;
  for (const Stretch& stretch : stretches_) sweep(next, stretch, open);
}

void StepPictureBuilder::sweep(std::size_t& next, const Stretch& stretch,
                               int (&open)[kKinds]) {
  std::uint64_t spent_ns[kKinds + 1] = {};
  std::int64_t at_ns = stretch.begin_ns;
  const auto passTo = [&](std::int64_t ns) {
    if (ns <= at_ns) return;
    const int* first =
        std::find_if(open, open + kKinds, [](int n) { return n > 0; });
    spent_ns[first - open] += lengthNs(at_ns, ns);
    at_ns = ns;
  };
  for (; next < changes_.size() && changes_[next].ns < stretch.end_ns; ++next) {
    passTo(changes_[next].ns);
    open[changes_[next].kind] += changes_[next].by;
  }
  passTo(stretch.end_ns);
  StepTimes times;
  times.count = 1;
  times.longest_ns = lengthNs(stretch.begin_ns, stretch.end_ns);
  times.computing_ns = spent_ns[kKinds];
  times.hidden_ns = spent_ns[kHidden];
  times.calls_ns = spent_ns[kCall];
  times.wait_for_peers_ns = spent_ns[kWaitForPeers];
  times.transfer_ns = spent_ns[kTransfer];
  times.undecided_ns = spent_ns[kUndecided];
  times.may_wait_ns = spent_ns[kMayWait];
  times.not_ended = !stretch.ended;
  times.uncertain_ns = std::min(stretch.uncertain_ns,
                                spent_ns[kWaitForPeers] + spent_ns[kTransfer]);
  times.waits_unknown = stretch.waits_unknown;
  addTimes(entryOf(stretch.number), times);
}

void StepPictureBuilder::add(const StepPictureBuilder& other) {
  while (shift_ < other.shift_) halveEntries();
  for (const auto& [first, times] : other.entries_) {
    addTimes(entryOf(first << other.shift_), times);
  }
}

StepTimes& StepPictureBuilder::entryOf(std::uint64_t number) {
  StepTimes& entry = entries_[number >> shift_];
  if (entries_.size() <= kMaxEntries) return entry;
  while (entries_.size() > kMaxEntries) halveEntries();
  return entries_[number >> shift_];
}

void StepPictureBuilder::halveEntries() {
  ++shift_;
  std::map<std::uint64_t, StepTimes> fewer;
  for (const auto& [first, times] : entries_) {
    addTimes(fewer[first >> 1], times);
  }
  entries_ = std::move(fewer);
}

StepPicture StepPictureBuilder::finish() && {
  picture_.per_entry = std::uint64_t{1} << shift_;
  for (const auto& [first, times] : entries_) {
    picture_.entries.push_back(times);
    picture_.entries.back().first = first << shift_;
  }
  return std::move(picture_);
}

}  // namespace traced
