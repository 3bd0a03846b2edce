#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analysis/timeline/slices.h"
#include "cli/export/perfetto/messages.h"
#include "cli/export/perfetto/rank_packets.h"
#include "phrasing/verdict_text.h"

namespace traced::perfetto {
namespace {

class JobWriter {
 public:
  JobWriter(Sequence& to, Tracks& tracks, const JobView& view,
            const JobTimeline& line)
      : to_(to), tracks_(tracks), view_(view), line_(line) {}

  void write() {
    process_ = tracks_.addProcess(to_, kJobPid, "job", "");
    to_.begin({});
    writeVerdicts();
    writeLatest();
    tracks_.writeTrack(to_, process_, ++track_order_, "steps", line_.steps);
    writeLost();
    writeClocks();
  }

 private:
  void writeVerdicts() {
    const JobState& job = view_.diagnosis().job;
    const auto& verdicts = view_.diagnosis().verdicts;
    if (verdicts.empty()) return;
    const LanedTrack track =
        tracks_.addTrack(to_, process_, ++track_order_, "verdicts", 1);
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      const JobVerdict& verdict = verdicts[i];
      to_.annotate("kind", nameOf(verdict.kind));
      to_.annotate("finding", nameOf(verdict.finding));
      to_.annotate("culprit", nameOf(verdict.culprit));
      if (!verdict.culprits.empty()) {
        to_.annotate("culprits", RankList::fromRanks(verdict.culprits).text());
      }
      to_.annotate("evidence",
                   absl::StrJoin(phrases(job, verdict.reasons), " "));
      if (!verdict.since_ns) to_.annotate("at", "the end: the time is unknown");
      to_.write({.at_ns = line_.verdicts_ns[i],
                 .type = event::kInstant,
                 .track = track.lane(0),
                 .name = to_.name(headlineOf(job, verdict))});
    }
  }

  // Writes a slice for each rank that others waited for. The rank's name gives
  // it its own colour.
  void writeLatest() {
    if (line_.latest.empty()) return;
    const LanedTrack track = tracks_.addTrack(
        to_, process_, ++track_order_, "the others wait for",
        lanesOf(line_.latest),
        "From when all other ranks were ready for a collective to when the "
        "last one was.");
    for (const JobTimeline::Latest& one : line_.latest) {
      const MatchRow& row = view_.matched().rows[one.row];
      const MatchCell& cell = view_.matched().cellsOf(row).front();
      to_.annotate("operation",
                   operationName(view_.tableOf(cell), view_.operationOf(cell)));
      to_.annotate("number", row.seq);
      to_.annotate("group", view_.run().groups.label(row.group));
      if (one.latest.within_ns > 0) {
        to_.annotate("within_ns", one.latest.within_ns);
      }
      // Without a correlation: the page would take the colour from it instead
      // of from the name.
      to_.writeSlice(track.lane(one.lane),
                     absl::StrCat("rank ", one.latest.rank),
                     one.latest.before_ns, one.latest.ready_ns);
    }
  }

  void writeLost() {
    if (line_.latest.empty()) return;
    std::vector<std::pair<std::int64_t, std::int64_t>> samples;
    for (const JobTimeline::Latest& one : line_.latest) {
      samples.emplace_back(one.latest.ready_ns,
                           one.latest.ready_ns - one.latest.before_ns);
    }
    writeCounter("time lost to the latest rank", counter::kNanoseconds,
                 std::move(samples));
  }

  void writeClocks() {
    for (const JobTimeline::ClockError& clock : line_.clocks) {
      std::vector<std::pair<std::int64_t, std::int64_t>> samples;
      for (const auto& [at_ns, within_ns] : clock.within_ns) {
        samples.emplace_back(at_ns, static_cast<std::int64_t>(within_ns));
      }
      writeCounter(absl::StrCat("clock of ", clock.host, " certified within"),
                   counter::kNanoseconds, std::move(samples));
    }
  }

  void writeCounter(
      const std::string& name, std::uint64_t unit,
      std::vector<std::pair<std::int64_t, std::int64_t>> samples) {
    std::sort(samples.begin(), samples.end());
    const std::uint64_t track =
        tracks_.addCounter(to_, process_, ++track_order_, name, unit);
    for (const auto& [at_ns, value] : samples) {
      Event sample{.at_ns = at_ns, .type = event::kCounter, .track = track};
      sample.counters[0] = value;
      to_.write(sample);
    }
  }

  Sequence& to_;
  Tracks& tracks_;
  const JobView& view_;
  const JobTimeline& line_;
  std::uint64_t process_ = 0;
  std::int32_t track_order_ = 0;
};

}  // namespace

void writeJob(Sequence& to, Tracks& tracks, const JobView& view,
              const JobTimeline& line) {
  JobWriter(to, tracks, view, line).write();
}

}  // namespace traced::perfetto
