#include "analysis/pictures/step_picture.h"

#include <algorithm>
#include <utility>

#include "analysis/statistics/median.h"
#include "analysis/time_split/certified_times.h"
#include "trace_io/wrapping.h"

namespace traced {

void StepTimes::add(const StepTimes& other) {
  count += other.count;
  longest_ns = std::max(longest_ns, other.longest_ns);
  time.add(other.time);
  not_ended += other.not_ended;
  computed_longer += other.computed_longer;
}

namespace {

double computing(const TimeBreakdown& time) {
  return static_cast<double>(time.computing_ns + time.hidden_ns);
}

// Returns for each step of a rank whether StepTimes::computed_longer counts it.
std::vector<bool> computedLonger(const std::vector<StepWindow>& steps,
                                 const std::vector<TimeBreakdown>& times) {
  std::vector<double> took_ns, computing_ns;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    took_ns.push_back(static_cast<double>(lengthOf(steps[i].window)));
    computing_ns.push_back(computing(times[i]));
  }
  const double usual_ns = median(took_ns);
  const double usual_computing_ns = median(computing_ns);
  std::vector<bool> longer;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double extra_ns = took_ns[i] - usual_ns;
    longer.push_back(extra_ns > 0.2 * usual_ns &&
                     computing_ns[i] - usual_computing_ns > 0.8 * extra_ns);
  }
  return longer;
}

}  // namespace

StepPictureBuilder::StepPictureBuilder(bool by_step, std::int64_t first_ns,
                                       std::int64_t last_ns)
    : first_ns_(first_ns) {
  picture_.by_step = by_step;
  if (by_step) return;
  picture_.stretch_ns = notBelowZero(last_ns - first_ns) / kStretches + 1;
}

void StepPictureBuilder::add(const ReadyTable::Stream& stream,
                             const std::vector<StepWindow>& marked,
                             const RankTime& time) {
  const std::vector<StepWindow> steps =
      picture_.by_step ? marked : intervalsOf(stream);
  const std::vector<TimeBreakdown> times = time.over(steps);
  const std::vector<bool> longer = computedLonger(steps, times);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    StepTimes one;
    one.count = 1;
    one.longest_ns = lengthOf(steps[i].window);
    one.time = times[i];
    one.not_ended = !steps[i].ended;
    one.computed_longer = longer[i];
    entryOf(steps[i].number).add(one);
  }
}

std::vector<StepWindow> StepPictureBuilder::intervalsOf(
    const ReadyTable::Stream& stream) const {
  const StreamTable& table = stream.table;
  std::vector<StepWindow> intervals;
  const std::int64_t start_ns = table.header.started().monotonic_ns();
  if (!between(Instant(start_ns), table.last) || start_ns < -kLatestNs ||
      table.last.ns() > kLatestNs) {
    return intervals;
  }
  const std::int64_t common_ns = stream.clock.commonNs(start_ns);
  if (common_ns < -kLatestNs || common_ns > kLatestNs) return intervals;
  const std::int64_t offset_ns = common_ns - start_ns;
  const auto length_ns = static_cast<std::int64_t>(picture_.stretch_ns);
  for (std::uint64_t i = 0; i < kStretches; ++i) {
    const std::int64_t begin_ns =
        first_ns_ - offset_ns + static_cast<std::int64_t>(i) * length_ns;
    const std::int64_t from_ns = std::max(begin_ns, start_ns);
    const std::int64_t until_ns =
        std::min(begin_ns + length_ns, table.last.ns());
    if (from_ns < until_ns) intervals.push_back({i, {from_ns, until_ns}});
  }
  return intervals;
}

namespace {

// Combines each pair of entries whose keys differ only in the lowest bit.
StepEntries halved(const StepEntries& entries) {
  StepEntries fewer;
  for (const auto& [first, times] : entries) fewer[first >> 1].add(times);
  return fewer;
}

// Sets the entries of a picture. `per_entry`: the number of steps of each.
void setEntries(StepPicture& picture, const StepEntries& entries,
                std::uint64_t per_entry) {
  picture.per_entry = per_entry;
  picture.entries.clear();
  for (const auto& [key, times] : entries) {
    picture.entries.push_back(times);
    picture.entries.back().first = key * per_entry;
  }
}

}  // namespace

void StepPictureBuilder::add(const StepPictureBuilder& other) {
  for (; shift_ < other.shift_; ++shift_) entries_ = halved(entries_);
  for (const auto& [first, times] : other.entries_) {
    entryOf(first << other.shift_).add(times);
  }
}

StepTimes& StepPictureBuilder::entryOf(std::uint64_t number) {
  StepTimes& entry = entries_[number >> shift_];
  if (entries_.size() <= kMaxEntries) return entry;
  for (; entries_.size() > kMaxEntries; ++shift_) entries_ = halved(entries_);
  return entries_[number >> shift_];
}

StepPicture StepPictureBuilder::finish() && {
  setEntries(picture_, entries_, std::uint64_t{1} << shift_);
  return std::move(picture_);
}

StepPicture StepPicture::reducedTo(std::size_t most) const {
  StepPicture reduced = *this;
  if (entries.size() <= most) return reduced;
  StepEntries fewer;
  for (const StepTimes& times : entries) fewer[times.first / per_entry] = times;
  std::uint64_t steps = per_entry;
  for (; fewer.size() > most; steps *= 2) fewer = halved(fewer);
  setEntries(reduced, fewer, steps);
  return reduced;
}

}  // namespace traced
