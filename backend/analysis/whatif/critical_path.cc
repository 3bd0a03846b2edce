#include "analysis/whatif/critical_path.h"

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

#include "absl/container/btree_map.h"
#include "analysis/whatif/event_times.h"

namespace traced::whatif {
namespace {

// A step on all ranks: from when the last rank ended the step before until the
// last rank ended this one.
struct StepSpan {
  std::uint32_t ranks = 0;
  double begin_ns = std::numeric_limits<double>::lowest();
  double end_ns = std::numeric_limits<double>::lowest();

  double ns() const { return end_ns - begin_ns; }
};

absl::btree_map<std::uint64_t, StepSpan> stepSpans(const ReplayJob& job) {
  absl::btree_map<std::uint64_t, StepSpan> spans;
  for (const RankEvents& rank : job.ranks) {
    std::size_t step = 0;
    StepSpan* span = nullptr;
    visitTimes(job, rank, [&](std::size_t i, const Event&, const EventTime& t) {
      while (step < rank.steps.size() && rank.steps[step].first_event == i) {
        span = &spans[rank.steps[step++].number];
        ++span->ranks;
        span->begin_ns = std::max(span->begin_ns, t.after_ns);
      }
      if (span) span->end_ns = std::max(span->end_ns, t.end_ns);
    });
  }
  for (auto i = spans.begin(); i != spans.end();) {
    i = i->second.ranks == job.ranks.size() ? std::next(i) : spans.erase(i);
  }
  return spans;
}

// Walks from the end of a step to its beginning.
class PathFinder {
 public:
  PathFinder(const ReplayJob& job, std::uint64_t step, const StepSpan& span)
      : job_(job), span_(span) {
    for (const RankEvents& rank : job.ranks) {
      Part& part = ranks_.emplace_back();
      const auto found =
          std::find_if(rank.steps.begin(), rank.steps.end(),
                       [&](const Step& each) { return each.number == step; });
      if (found == rank.steps.end()) continue;
      const auto index = static_cast<std::size_t>(found - rank.steps.begin());
      part.first = found->first_event;
      const std::uint32_t end = rank.endOf(rank.steps, index);
      part.times.reserve(end - part.first);
      visitTimes(job, rank,
                 [&](std::size_t i, const Event&, const EventTime& time) {
                   if (i >= part.first && i < end) part.times.push_back(time);
                 });
      steps_left_ += 2 * part.times.size() + 2;
    }
  }

  std::vector<PathPart> find() {
    std::uint32_t rank = lastRank();
    std::size_t place = ranks_[rank].times.size();
    while (place > 0 && steps_left_-- > 0) {
      const Part& part = ranks_[rank];
      const Event& event = eventOf(rank, place - 1);
      const EventTime& time = part.times[place - 1];
      if (time.end_ns <= span_.begin_ns) break;
      const bool blocked =
          event.is_wait && !event.is_unseen && time.end_ns > time.at_ns;
      if (blocked &&
          explainedEndNs(job_.meetings[event.meeting]) > time.at_ns) {
        add(PathPart::What::kUnexplained, rank, event.kind,
            explainedEndNs(job_.meetings[event.meeting]), time.end_ns);
        if (!follow(event.meeting, rank, place)) break;
        continue;
      }
      add(PathPart::What::kUnexplained, rank, event.kind, time.at_ns,
          time.end_ns);
      add(PathPart::What::kComputing, rank, event.kind, time.after_ns,
          time.at_ns);
      --place;
    }
    return std::move(*this).sorted();
  }

 private:
  // One rank's part of the step.
  struct Part {
    std::uint32_t first = 0;
    std::vector<EventTime> times;
  };

  const Event& eventOf(std::uint32_t rank, std::size_t place) const {
    return job_.ranks[rank].events[ranks_[rank].first + place];
  }

  std::uint32_t lastRank() const {
    std::uint32_t last = 0;
    double end_ns = std::numeric_limits<double>::lowest();
    for (std::uint32_t i = 0; i < ranks_.size(); ++i) {
      if (ranks_[i].times.empty() || ranks_[i].times.back().end_ns <= end_ns) {
        continue;
      }
      end_ns = ranks_[i].times.back().end_ns;
      last = i;
    }
    return last;
  }

  void add(PathPart::What what, std::uint32_t rank, std::uint32_t kind,
           double from_ns, double to_ns) {
    const double ns = to_ns - std::max(from_ns, span_.begin_ns);
    if (ns <= 0) return;
    const Kind& of = job_.kinds[kind];
    PathPart key;
    key.what = what;
    if (what != PathPart::What::kTransfer) key.rank = job_.ranks[rank].rank;
    key.op = of.op;
    key.bytes = of.bytes;
    if (of.group < job_.groups.size()) key.group = job_.groups[of.group];
    parts_[std::tuple(key.what, key.rank, key.op, key.bytes, key.group)] += ns;
  }

  // Continues at the last rank of a meeting. `place` becomes the number of its
  // events until it joined. Returns false if that was before the step.
  bool follow(std::uint32_t index, std::uint32_t& rank, std::size_t& place) {
    while (steps_left_-- > 0) {
      const Meeting& meeting = job_.meetings[index];
      const auto ready_ns = static_cast<double>(meeting.ready_ns);
      add(PathPart::What::kTransfer, kNone, meeting.kind, ready_ns,
          explainedEndNs(meeting));
      if (meeting.last_rank == kNone || ready_ns <= span_.begin_ns) {
        return false;
      }
      rank = meeting.last_rank;
      const Part& part = ranks_[rank];
      if (meeting.last_event < part.first) return false;
      const std::size_t join = meeting.last_event - part.first;
      if (join >= part.times.size()) return false;
      const Event& event = eventOf(rank, join);
      place = join + 1;
      // The rank may have been ready before its queue was.
      const bool queued =
          event.after != kNone &&
          explainedEndNs(job_.meetings[event.after]) > part.times[join].end_ns;
      if (!queued) return true;
      index = event.after;
    }
    return false;
  }

  std::vector<PathPart> sorted() && {
    std::vector<PathPart> parts;
    for (const auto& [key, ns] : parts_) {
      PathPart& part = parts.emplace_back();
      std::tie(part.what, part.rank, part.op, part.bytes, part.group) = key;
      part.ns = ns;
    }
    std::stable_sort(
        parts.begin(), parts.end(),
        [](const PathPart& a, const PathPart& b) { return a.ns > b.ns; });
    return parts;
  }

  const ReplayJob& job_;
  const StepSpan span_;
  std::vector<Part> ranks_;
  // Bounds the walk, because damaged records may form a circle.
  std::size_t steps_left_ = 0;
  using Key = std::tuple<PathPart::What, std::uint32_t, v1::Operation,
                         std::uint64_t, std::string>;
  absl::btree_map<Key, double> parts_;
};

}  // namespace

CriticalPath criticalPath(const ReplayJob& job) {
  const auto spans = stepSpans(job);
  std::vector<std::pair<double, std::uint64_t>> durations;
  for (const auto& [step, span] : spans) durations.push_back({span.ns(), step});
  if (durations.empty()) return {};
  const auto middle =
      durations.begin() + static_cast<std::ptrdiff_t>(durations.size() / 2);
  std::nth_element(durations.begin(), middle, durations.end());
  CriticalPath path;
  if (job.has_steps) {
    path.step = middle->second;
    path.steps = spans.size();
  }
  path.step_ns = middle->first;
  path.parts = PathFinder(job, middle->second, spans.at(middle->second)).find();
  return path;
}

}  // namespace traced::whatif
