#include "cli/whatif/timeline.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analysis/stream/names.h"
#include "cli/export/perfetto/sequence.h"
#include "phrasing/text.h"

namespace traced {
namespace {

using whatif::EventTime;
using whatif::RankEvents;
using whatif::ReplayJob;

// Draws one run of one rank: steps, and in them waits and the time between.
class RankTrack {
 public:
  RankTrack(const ReplayJob& job, const RankEvents& rank,
            const std::vector<EventTime>& times, perfetto::Sequence& to,
            std::uint64_t track)
      : job_(job), rank_(rank), times_(times), to_(to), track_(track) {}

  void write() {
    for (std::size_t i = 0; i < rank_.steps.size(); ++i) {
      const std::uint32_t first = rank_.steps[i].first_event;
      const std::uint32_t end = rank_.endOf(rank_.steps, i);
      if (first == end) continue;
      if (job_.has_steps) {
        begin(absl::StrCat("step ", rank_.steps[i].number),
              times_[first].after_ns);
      }
      for (std::uint32_t event = first; event < end; ++event) add(event);
      flushGap();
      if (job_.has_steps) this->end(times_[end - 1].end_ns);
    }
  }

 private:
  void begin(const std::string& name, double ns) {
    to_.write({.at_ns = std::llround(ns),
               .type = event::kBegin,
               .track = track_,
               .name = to_.name(name)});
  }
  void end(double ns) {
    to_.write(
        {.at_ns = std::llround(ns), .type = event::kEnd, .track = track_});
  }

  void add(std::uint32_t index) {
    const whatif::Event& event = rank_.events[index];
    const EventTime& time = times_[index];
    if (gap_end_ns_ <= gap_begin_ns_) gap_begin_ns_ = time.after_ns;
    gap_end_ns_ = time.at_ns;
    may_wait_ |= event.may_wait_ns > 0;
    if (time.end_ns <= time.at_ns) return;
    flushGap();
    begin(waitText(job_.kinds[event.kind]), time.at_ns);
    end(time.end_ns);
  }

  // Gaps without a wait between them are one.
  void flushGap() {
    if (gap_end_ns_ > gap_begin_ns_) {
      begin(may_wait_ ? "computing or waiting" : "computing", gap_begin_ns_);
      end(gap_end_ns_);
    }
    gap_begin_ns_ = gap_end_ns_ = 0;
    may_wait_ = false;
  }

  static std::string waitText(const whatif::Kind& kind) {
    return absl::StrCat("wait for ", nameOf(kind.op), " ",
                        bytesText(kind.bytes));
  }

  const ReplayJob& job_;
  const RankEvents& rank_;
  const std::vector<EventTime>& times_;
  perfetto::Sequence& to_;
  const std::uint64_t track_;
  double gap_begin_ns_ = 0;
  double gap_end_ns_ = 0;
  bool may_wait_ = false;
};

std::vector<EventTime> recordedTimes(const ReplayJob& job,
                                     const RankEvents& rank) {
  const auto begin_ns = static_cast<double>(job.beginNs());
  std::vector<EventTime> times;
  whatif::visitTimes(
      job, rank, [&](std::size_t, const whatif::Event&, const EventTime& time) {
        times.push_back({time.after_ns - begin_ns, time.at_ns - begin_ns,
                         time.end_ns - begin_ns});
      });
  return times;
}

}  // namespace

bool writeTimeline(const ReplayJob& job, const whatif::ReplayedTimes& ideal,
                   const std::string& path) {
  std::ofstream out(path, std::ios::binary);
  perfetto::Sequence to(out, 1, 0);
  to.begin({});
  perfetto::Tracks tracks;
  tracks.orderProcesses(to);
  for (std::size_t i = 0; i < job.ranks.size(); ++i) {
    const RankEvents& rank = job.ranks[i];
    if (ideal[i].size() != rank.events.size()) continue;
    const std::uint64_t process =
        tracks.addProcess(to, static_cast<std::int32_t>(rank.rank),
                          absl::StrCat("rank ", rank.rank), "");
    const auto add = [&](std::int32_t order, const char* name,
                         const std::vector<EventTime>& times) {
      const auto track = tracks.addTrack(to, process, order, name, 1);
      RankTrack(job, rank, times, to, track.lane(0)).write();
    };
    add(0, "recorded", recordedTimes(job, rank));
    add(1, "without imbalance", ideal[i]);
  }
  out.close();
  return out.good();
}

}  // namespace traced
