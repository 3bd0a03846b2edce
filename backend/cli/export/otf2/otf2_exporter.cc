#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/export/job_exporter.h"
#include "cli/export/otf2/archive.h"
#include "cli/export/otf2/rank_events.h"
#include "phrasing/text.h"
#include "phrasing/verdict_text.h"
#include "trace_io/wrapping.h"

namespace traced {
namespace otf2 {
namespace {

std::vector<RowFacts> factsOf(const JobView& view) {
  std::vector<RowFacts> facts;
  for (const MatchRow& row : view.matched().rows) {
    facts.push_back({view.correlationOf(row), view.latestOf(row)});
  }
  return facts;
}

void reportJob(Archive& archive, const JobView& view) {
  const TraceSet& set = view.set();
  const v1::Header& header = set.streams[set.selected.front()].header;
  archive.setCreator("tracectl " TRACED_VERSION);
  archive.setProperty("TRACED::JOB", printable(header.job()));
  archive.setProperty("TRACED::WORLD_SIZE", absl::StrCat(header.world_size()));
  archive.setProperty("TRACED::ATTEMPT", absl::StrCat(header.attempt()));
  archive.setProperty("TRACED::RECORDED_BY",
                      printable(header.traced_version()));
  archive.setProperty("TRACED::TORCH", printable(header.torch_version()));
}

// Marks each verdict at its time. A verdict without a time is placed at the
// end.
void markVerdicts(Writing& to, const JobView& view) {
  const auto& verdicts = view.diagnosis().verdicts;
  if (verdicts.empty()) return;
  OTF2_MarkerWriter* markers = to.archive.markers();
  for (std::uint32_t i = 0; i < verdicts.size(); ++i) {
    const JobVerdict& verdict = verdicts[i];
    const std::int64_t at_ns =
        verdict.since_ns.value_or(view.overview().last_ns);
    if (!isShowable(at_ns)) continue;
    to.range.add(static_cast<std::uint64_t>(at_ns));
    to.archive.check(OTF2_MarkerWriter_WriteDefMarker(
        markers, i, "verdicts", nameOf(verdict.kind), OTF2_SEVERITY_HIGH));
    to.archive.check(OTF2_MarkerWriter_WriteMarker(
        markers, static_cast<std::uint64_t>(at_ns), 0, i,
        OTF2_MARKER_SCOPE_GLOBAL, 0,
        printable(headlineOf(view.diagnosis().job, verdict)).c_str()));
  }
}

// Defines the clock: nanoseconds of the first rank's host.
void defineClock(Writing& to, const JobView& view) {
  constexpr std::uint64_t kTicksInSecond = 1'000'000'000;
  const TraceSet& set = view.set();
  const auto& started = set.streams[set.selected.front()].header.started();
  const std::uint64_t first = std::min(to.range.first_ns, to.range.last_ns);
  const std::int64_t real_ns = wrappingSum(
      static_cast<std::int64_t>(first),
      wrappingDifference(started.realtime_ns(), started.monotonic_ns()));
  to.archive.check(OTF2_GlobalDefWriter_WriteClockProperties(
      to.archive.definitions(), kTicksInSecond, first, to.range.last_ns - first,
      isShowable(real_ns) ? static_cast<std::uint64_t>(real_ns)
                          : OTF2_UNDEFINED_TIMESTAMP));
}

class Otf2Exporter : public JobExporter {
 public:
  void write(ExportedFiles& files, const JobView& view) override {
    Archive archive(files.folder());
    if (archive.problem().empty()) write(archive, view);
    archive.close();
    if (!archive.problem().empty()) files.fail(archive.problem());
  }

  std::string note() const override {
    std::string note = noteOf(
        {{only_calls_,
          " with their calls only: OTF2 has none like them, or nobody knows "
          "with whom they communicated"},
         {without_end_, " without an end"},
         {unshowable_, " left out: their times are unknown"}});
    if (without_members_ > 0) {
      absl::StrAppend(&note, note.empty() ? "" : "; ",
                      countOf(without_members_, "group"),
                      " without members: too many");
    }
    return note;
  }

 private:
  void write(Archive& archive, const JobView& view) {
    const std::vector<RowFacts> rows = factsOf(view);
    Names names(archive);
    Facts facts(archive, names);
    Writing to{archive, names, facts, rows};
    std::vector<std::vector<Location>> locations;
    const auto cells = cellsByStream(view);
    for (std::uint32_t i = 0; i < cells.size(); ++i) {
      if (!archive.problem().empty()) return;
      const RankTimeline line = timelineOf(view, i, cells[i]);
      unshowable_ += line.unshowable;
      locations.push_back(writeRank(to, view, i, line));
    }
    reportJob(archive, view);
    markVerdicts(to, view);
    defineClock(to, view);
    without_members_ = defineWorld(to, view, locations);
    only_calls_ = to.only_calls;
    without_end_ = to.without_end;
  }

  std::uint64_t only_calls_ = 0;
  std::uint64_t without_end_ = 0;
  std::uint64_t unshowable_ = 0;
  std::uint64_t without_members_ = 0;
};

}  // namespace
}  // namespace otf2

std::unique_ptr<JobExporter> makeOtf2Exporter() {
  return std::make_unique<otf2::Otf2Exporter>();
}

}  // namespace traced
