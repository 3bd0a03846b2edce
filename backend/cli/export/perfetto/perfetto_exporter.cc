#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/stream/clock_models.h"
#include "analysis/stream/operation_kinds.h"
#include "analysis/timeline/job_timeline.h"
#include "analysis/timeline/rank_timeline.h"
#include "cli/export/gzip_output.h"
#include "cli/export/job_exporter.h"
#include "cli/export/perfetto/messages.h"
#include "cli/export/perfetto/rank_packets.h"
#include "phrasing/text.h"

namespace traced {
namespace perfetto {
namespace {

// Returns whether to draw an arrow from a send to the end of its receive. An
// arrow must not point back in time.
bool hasArrow(const JobView& view, const MatchRow& row,
              const std::vector<const OperationSlice*>& slices) {
  if (!row.pair || slices.size() != 2) return false;
  const OperationSlice* send = nullptr;
  const OperationSlice* recv = nullptr;
  for (const OperationSlice* slice : slices) {
    const v1::Call* call = view.callOf(slice->cell);
    if (call && call->op() == v1::OPERATION_SEND) send = slice;
    if (call && call->op() == v1::OPERATION_RECV) recv = slice;
  }
  return send && recv && !recv->open() && send->begin_ns <= recv->end_ns;
}

std::vector<RowFacts> factsOf(const JobView& view,
                              const std::vector<RankTimeline>& ranks,
                              const JobTimeline& line) {
  const std::vector<MatchRow>& rows = view.matched().rows;
  std::vector<RowFacts> facts(rows.size());
  std::vector<std::vector<const OperationSlice*>> messages(rows.size());
  for (const RankTimeline& rank : ranks) {
    for (const OperationSlice& slice : rank.operations) {
      if (rows[slice.row].pair) messages[slice.row].push_back(&slice);
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    facts[i].correlation = view.correlationOf(rows[i]);
    if (hasArrow(view, rows[i], messages[i])) facts[i].flow = i + 1;
  }
  for (const JobTimeline::Latest& one : line.latest) {
    facts[one.row].latest = one.latest;
  }
  return facts;
}

// Numbers the hosts in the order of their ranks. The host of the time line is
// 0.
class Machines {
 public:
  explicit Machines(const JobView& view) {
    for (const LoadedRun::Stream& stream : view.run().streams) {
      const v1::Header& header = stream.table.header;
      const bool of_line = stream.clock.source() == v1::CLOCK_SOURCE_SAME_CLOCK;
      const auto [entry, is_new] =
          numbers_.try_emplace(clockNameOf(header), of_line ? 0 : next_);
      if (!is_new) continue;
      hosts_.emplace_back(entry->second, &header);
      next_ += !of_line;
    }
  }

  std::uint32_t of(const v1::Header& header) const {
    return numbers_.at(clockNameOf(header));
  }
  const std::vector<std::pair<std::uint32_t, const v1::Header*>>& hosts()
      const {
    return hosts_;
  }

 private:
  std::uint32_t next_ = 1;
  std::map<std::string, std::uint32_t> numbers_;
  std::vector<std::pair<std::uint32_t, const v1::Header*>> hosts_;
};

// All instants are on the common time line, so all hosts share one clock. The
// wall clock is that of the host of the time line.
void writeClocks(Sequence& to, const v1::Header& line) {
  const std::int64_t at_ns = line.started().monotonic_ns();
  if (!isShowable(at_ns) || !isShowable(line.started().realtime_ns())) return;
  MessageWriter snapshot;
  const auto add = [&](std::uint64_t id, std::int64_t ns) {
    MessageWriter clock;
    clock.add(clock_snapshot::kClockId, id);
    clock.addSigned(clock_snapshot::kClockTimestamp, ns);
    snapshot.add(clock_snapshot::kClock, clock);
  };
  add(clock_snapshot::kBoottime, at_ns);
  add(clock_snapshot::kMonotonic, at_ns);
  add(clock_snapshot::kRealtime, line.started().realtime_ns());
  to.write(packet::kClockSnapshot, snapshot);
}

class PerfettoExporter : public JobExporter {
 public:
  void write(ExportedFiles& files, const JobView& view) override {
    std::ostream& plain = files.begin("");
    GzipOutput out(plain);
    const auto cells = cellsByStream(view);
    std::vector<RankTimeline> ranks;
    for (std::uint32_t i = 0; i < cells.size(); ++i) {
      ranks.push_back(timelineOf(view, i, cells[i]));
      unshowable_ += ranks.back().unshowable;
    }
    const JobTimeline line = jobTimelineOf(view, ranks);
    const std::vector<RowFacts> facts = factsOf(view, ranks, line);
    const Machines machines(view);
    writeHosts(out, view, machines);
    Tracks tracks;
    Sequence job(out, ++sequences_, 0);
    tracks.orderProcesses(job);
    writeJob(job, tracks, view, line);
    for (std::uint32_t i = 0; i < ranks.size(); ++i) {
      const v1::Header& header = view.run().streams[i].table.header;
      Sequence rank(out, ++sequences_, machines.of(header));
      writeRank(rank, tracks, view, i, ranks[i], facts);
    }
    out.finish();
    if (!out) plain.setstate(std::ios::badbit);
  }

  std::string note() const override {
    return noteOf({{unshowable_, " left out: their times are unknown"}});
  }

 private:
  void writeHosts(std::ostream& out, const JobView& view,
                  const Machines& machines) {
    const TraceSet& set = view.set();
    const v1::Header& line = set.streams[set.selected.front()].header;
    bool has_first_machine = false;
    for (const auto& [machine, header] : machines.hosts()) {
      Sequence host(out, ++sequences_, machine);
      writeClocks(host, line);
      has_first_machine |= machine == 0;
      MessageWriter system;
      system.add(system_info::kMachineName, printable(header->host()));
      if (!header->host().empty()) host.write(packet::kSystemInfo, system);
    }
    Sequence host(out, ++sequences_, 0);
    if (!has_first_machine) writeClocks(host, line);
  }

  std::uint32_t sequences_ = 0;
  std::uint64_t unshowable_ = 0;
};

}  // namespace
}  // namespace perfetto

std::unique_ptr<JobExporter> makePerfettoExporter() {
  return std::make_unique<perfetto::PerfettoExporter>();
}

}  // namespace traced
