#include "cli/export/tables/run_tables.h"

#include <cstddef>
#include <iterator>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "analysis/stream/clock_cursor.h"
#include "analysis/stream/names.h"
#include "phrasing/verdict_text.h"
#include "phrasing/warnings.h"

namespace traced {

CellValue RankRow::commonCell(Instant at) const {
  if (!at.known()) return {};
  return ClockCursor(clock).commonNs(at.ns());
}

namespace {

template <typename Row>
using Columns = std::vector<typename TableOf<Row>::Column>;

template <typename Row, std::size_t kField>
CellValue timeCell(const Row& row) {
  return row.time ? countCell((*row.time).*kTimeFields[kField].value)
                  : CellValue();
}

// Appends the columns with the times of a row, then `more`.
template <typename Row>
Columns<Row> withTimes(Columns<Row> columns, const Columns<Row>& more = {}) {
  // The last field is a count and no time.
  constexpr std::size_t kTimes = std::size(kTimeFields) - 1;
  [&columns]<std::size_t... kField>(std::index_sequence<kField...>) {
    (columns.push_back({kTimeFields[kField].name, timeCell<Row, kField>}), ...);
  }
  (std::make_index_sequence<kTimes>());
  columns.insert(columns.end(), more.begin(), more.end());
  return columns;
}

// Cells of the columns of a sample.
template <auto kColumn>
CellValue count(const SampleRow& row) {
  return countCell(row.sample.*kColumn);
}
template <auto kColumnPlus1>
CellValue countIfKnown(const SampleRow& row) {
  return countLessOne(row.sample.*kColumnPlus1);
}

}  // namespace

const TableOf<RankRow>& rankTable() {
  using R = const RankRow&;
  static const TableOf<RankRow> table(
      "ranks", "a rank",
      withTimes<RankRow>(
          {{"rank", [](R r) { return countCell(r.table.header.rank()); }},
           {"world_size",
            [](R r) { return countCell(r.table.header.world_size()); }},
           {"host", [](R r) { return textCell(r.table.header.host()); }},
           {"node", [](R r) { return textCell(r.table.header.node()); }},
           {"pid",
            [](R r) {
              const std::int64_t pid = r.table.header.pid();
              return pid > 0 ? CellValue(pid) : CellValue();
            }},
           {"torch_version",
            [](R r) { return textCell(r.table.header.torch_version()); }},
           {"operations",
            [](R r) {
              return countCell(r.table.operations.size() - r.table.simulated);
            }},
           {"simulated_operations",
            [](R r) { return countCell(r.table.simulated); }},
           {"not_recorded",
            [](R r) { return countCell(r.table.accounts.left_out()); }},
           {"switched_off_ns",
            [](R r) { return countCell(r.table.marks.pausedNs()); }},
           {"last_ns", [](R r) { return r.commonCell(r.table.last); }},
           {"run_ns", [](R r) { return countCell(r.table.runNs()); }},
           {"rank_time_ns",
            [](R r) { return countCell(r.table.rankTimeNs()); }}},
          {{"clock", [](R r) { return textCell(nameOf(r.clock.source())); }},
           {"closed", [](R r) { return CellValue(r.table.closed); }},
           {"recovered",
            [](R r) { return CellValue(r.table.accounts.recovered()); }},
           {"running", [](R r) { return CellValue(r.table.stillRunning()); }},
           {"end_known", [](R r) { return CellValue(r.table.endKnown()); }},
           {"lost", [](R r) { return CellValue(r.table.lostSomething()); }},
           {"ended", [](R r) { return textCell(nameOf(r.end.kind)); }},
           {"exit_code",
            [](R r) {
              return r.end.exit_code ? CellValue(std::int64_t{*r.end.exit_code})
                                     : CellValue();
            }},
           {"signal",
            [](R r) {
              return r.end.signal ? textCell(signalName(r.end.signal))
                                  : CellValue();
            }},
           {"oom_killed", [](R r) { return CellValue(r.end.oom_killed); }},
           {"exception", [](R r) { return textCell(r.end.exception); }},
           {"raised_ns", [](R r) { return r.commonCell(r.end.raised); }}}),
      {"rank"});
  return table;
}

const TableOf<StepRow>& stepTable() {
  using R = const StepRow&;
  static const TableOf<StepRow> table(
      "steps", "a step of a rank, from a mark to the next one",
      withTimes<StepRow>(
          {{"rank", [](R r) { return countCell(r.rank.table.header.rank()); }},
           {"step", [](R r) { return countCell(r.step.number); }},
           {"step_begin_ns",
            [](R r) { return r.rank.commonCell(r.step.began); }},
           {"step_end_ns", [](R r) { return r.rank.commonCell(r.step.ended); }},
           {"took_ns",
            [](R r) {
              return countCell(between(r.step.began, r.step.ended));
            }}}),
      {"rank"});
  return table;
}

const TableOf<SampleRow>& resourceTable() {
  using R = const SampleRow&;
  using S = ResourceRow;
  static const TableOf<SampleRow> table(
      "resources", "what a process used between two samples",
      {{"rank", [](R r) { return countCell(r.rank.table.header.rank()); }},
       {"step",
        [](R r) {
          return numberCell(r.rank.table.marks.stepOf(r.sample.position));
        }},
       {"sample_ns",
        [](R r) { return r.rank.commonCell(Instant(r.sample.sample_ns)); }},
       {"interval_ns", count<&S::interval_ns>},
       {"cpu_ns", count<&S::cpu_ns>},
       {"main_cpu_ns", countIfKnown<&S::main_cpu_ns_plus_1>},
       {"run_delay_ns", countIfKnown<&S::run_delay_ns_plus_1>},
       {"issuer_delay_ns", countIfKnown<&S::issuer_delay_ns_plus_1>},
       {"other_delay_ns", countIfKnown<&S::other_delay_ns_plus_1>},
       {"blocked_ns", countIfKnown<&S::blocked_ns_plus_1>},
       {"paging_ns", countIfKnown<&S::paging_ns_plus_1>},
       {"major_faults", count<&S::major_faults>},
       {"read_bytes", countIfKnown<&S::read_bytes_plus_1>},
       {"written_bytes", countIfKnown<&S::written_bytes_plus_1>},
       {"voluntary_switches", count<&S::voluntary_switches>},
       {"involuntary_switches", count<&S::involuntary_switches>},
       {"throttled_ns", countIfKnown<&S::throttled_ns_plus_1>},
       {"cpu_pressure_ns", countIfKnown<&S::cpu_pressure_ns_plus_1>},
       {"io_pressure_ns", countIfKnown<&S::io_pressure_ns_plus_1>},
       {"memory_pressure_ns", countIfKnown<&S::memory_pressure_ns_plus_1>},
       {"collections", count<&S::collections>},
       {"collecting_ns", countIfKnown<&S::collecting_ns_plus_1>},
       {"batches", count<&S::batches>},
       {"loading_ns", countIfKnown<&S::loading_ns_plus_1>},
       {"sm_clock_mhz", countIfKnown<&S::sm_clock_mhz_plus_1>},
       {"max_sm_clock_mhz", countIfKnown<&S::max_sm_clock_mhz_plus_1>},
       {"memory_clock_mhz", countIfKnown<&S::memory_clock_mhz_plus_1>},
       {"throttle_reasons", countIfKnown<&S::throttle_reasons_plus_1>},
       {"temperature", countIfKnown<&S::temperature_plus_1>},
       {"ecc_errors", countIfKnown<&S::ecc_errors_plus_1>},
       {"xid", [](R r) { return countUnlessZero(r.sample.xid); }}},
      {"rank", "step"});
  return table;
}

const TableOf<LossRow>& lossTable() {
  using R = const LossRow&;
  static const TableOf<LossRow> table(
      "losses", "something that a trace lacks, or that is odd about the run",
      {{"rank", [](R r) { return numberCell(r.rank); }},
       {"what", [](R r) { return textCell(r.what); }},
       {"amount", [](R r) { return numberCell(r.amount); }},
       {"unit", [](R r) { return textCell(r.unit); }},
       {"detail", [](R r) { return textCell(r.detail); }}},
      {});
  return table;
}

const TableOf<JobGroup>& groupTable() {
  using R = const JobGroup&;
  // Dumps may omit the members of a group.
  static const TableOf<JobGroup> table(
      "groups", "a process group",
      {{"group_label", [](R r) { return textCell(r.label); }},
       {"name", [](R r) { return textCell(r.name); }},
       {"description", [](R r) { return textCell(r.desc); }},
       {"backend", [](R r) { return textCell(r.backend); }},
       {"leg", [](R r) { return textCell(r.leg); }},
       {"nth", [](R r) { return countCell(r.nth); }},
       {"group_size", [](R r) { return countUnlessZero(r.members.size()); }},
       {"members", [](R r) { return textCell(r.members.text()); }},
       {"left_out", [](R r) { return CellValue(r.left_out); }}},
      {});
  return table;
}

CellValue linesCell(const std::vector<std::string>& lines) {
  return textCell(absl::StrJoin(lines, "\n"));
}

const TableOf<VerdictRow>& verdictTable() {
  using R = const VerdictRow&;
  static const TableOf<VerdictRow> table(
      "verdicts", "a verdict of `tracectl diagnose`",
      {{"verdict", [](R r) { return countCell(r.number); }},
       {"kind", [](R r) { return textCell(nameOf(r.verdict.kind)); }},
       {"confidence",
        [](R r) { return textCell(nameOf(r.verdict.confidence())); }},
       {"finding_confidence",
        [](R r) { return textCell(nameOf(r.verdict.finding)); }},
       {"culprit_confidence",
        [](R r) { return textCell(nameOf(r.verdict.culprit)); }},
       {"culprits",
        [](R r) { return textCell(absl::StrJoin(r.verdict.culprits, ",")); }},
       {"ranks",
        [](R r) { return textCell(absl::StrJoin(r.verdict.ranks, ",")); }},
       {"group_label",
        [](R r) { return textCell(r.job.catalog.label(r.verdict.group)); }},
       {"seq", [](R r) { return countUnlessZero(r.verdict.seq); }},
       {"src",
        [](R r) {
          const auto& pair = r.verdict.pair;
          return pair ? countCell(pair->first) : CellValue();
        }},
       {"dst",
        [](R r) {
          const auto& pair = r.verdict.pair;
          return pair ? countCell(pair->second) : CellValue();
        }},
       {"op", [](R r) { return textCell(r.verdict.op); }},
       {"since_ns", [](R r) { return numberCell(r.verdict.since_ns); }},
       {"waited_ns", [](R r) { return numberCell(r.verdict.waited_ns); }},
       {"summary", [](R r) { return textCell(summaryOf(r.job, r.verdict)); }},
       {"evidence",
        [](R r) { return linesCell(phrases(r.job, r.verdict.reasons)); }},
       {"consequence",
        [](R r) { return textCell(consequenceOf(r.job, r.verdict)); }},
       {"advice",
        [](R r) { return linesCell(phrases(r.job, r.verdict.advice)); }}},
      {"verdict"});
  return table;
}

const TableOf<VerdictRankRow>& verdictRankTable() {
  using R = const VerdictRankRow&;
  static const TableOf<VerdictRankRow> table(
      "verdict_ranks", "a rank that a verdict is about",
      {{"verdict", [](R r) { return countCell(r.number); }},
       {"rank", [](R r) { return countCell(r.rank); }},
       {"is_culprit", [](R r) { return CellValue(r.is_culprit); }}},
      {"verdict", "rank"});
  return table;
}

void StreamTables::add(const StreamTable& table, const v1::ClockModel& clock,
                       const std::optional<RankTime>& time) {
  RankRow rank{table, clock, processEndOf(table), std::nullopt};
  // Dumps record neither returns nor waits.
  const bool has_time = time && !table.snapshot;
  if (has_time) {
    const TimeWindow span = operationSpan(table);
    rank.time = time->over(absl::MakeConstSpan(&span, 1)).front();
  }
  ranks_.add(rankTable(), rank);
  addSteps(rank, has_time ? time : std::nullopt);
  for (const ResourceRow& sample : table.resources) {
    resources_.add(resourceTable(), {rank, sample});
  }
  addLosses(table);
}

void StreamTables::addSteps(const RankRow& rank,
                            const std::optional<RankTime>& time) {
  const auto& steps = rank.table.marks.steps();
  const auto times =
      time ? timesOfSteps(rank.table, *time)
           : std::vector<std::optional<TimeBreakdown>>(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    steps_.add(stepTable(), {rank, steps[i], times[i]});
  }
}

void StreamTables::addLosses(const StreamTable& table) {
  const std::int64_t rank = table.header.rank();
  const auto add = [&](const char* what, std::uint64_t amount, const char* unit,
                       const std::string& detail = "") {
    if (amount == 0) return;
    losses_.add(lossTable(), {rank, what, fitting(amount), unit, detail});
  };
  for (const v1::Drop& drop : table.accounts.drop()) {
    add("dropped", drop.records(), "records", nameOf(drop.reason()));
  }
  add("missing", table.missing(), "records");
  add("gaps", table.gaps, "gaps");
  add("refused", table.refused_bytes, "bytes");
  add("skipped", table.skipped_chunks, "chunks");
  add("broken", table.broken_tables, "chunks");
  add("overlapping", table.overlapping_chunks, "chunks");
  add("refused_groups", table.definitions.refusedGroups().size(), "groups");
  add("not_in_dump", table.not_in_dump, "records");
  if (table.endKnown()) return;
  losses_.add(lossTable(), {rank, "end_unknown", std::nullopt, "records", ""});
}

void StreamTables::add(const TraceSet& set, const RunSummary& summary) {
  const auto addNote = [&](const char* what, const std::string& sentence) {
    losses_.add(lossTable(), {std::nullopt, what, std::nullopt, "", sentence});
  };
  for (const std::string& text : set.input_warnings) addNote("input", text);
  for (const std::string& text : set.selection_warnings)
    addNote("selection", text);
  for (const ClockWarning& each : summary.clockWarnings()) {
    addNote("clock", clockText(each));
  }
  const std::string absent = summary.absentRanks();
  if (!absent.empty()) addNote("absent_ranks", absent);
  if (const std::uint64_t bytes = unusableBytes(set, summary)) {
    losses_.add(lossTable(),
                {std::nullopt, "unusable", fitting(bytes), "bytes", ""});
  }
}

void StreamTables::finish() {
  ranks_.finish();
  steps_.finish();
  resources_.finish();
  losses_.finish();
}

void writeGroups(const TableFolder& folder, const GroupCatalog& groups) {
  TableFile file(folder, groupTable().spec);
  for (const JobGroup& group : groups.groups()) file.add(groupTable(), group);
  file.finish();
}

void writeVerdicts(const TableFolder& folder, const Diagnosis& diagnosis) {
  TableFile verdicts(folder, verdictTable().spec);
  TableFile verdict_ranks(folder, verdictRankTable().spec);
  std::uint64_t number = 0;
  for (const JobVerdict& verdict : diagnosis.verdicts) {
    ++number;
    verdicts.add(verdictTable(), {number, verdict, diagnosis.job});
    const std::set<std::uint32_t> culprits(verdict.culprits.begin(),
                                           verdict.culprits.end());
    std::set<std::uint32_t> ranks(verdict.ranks.begin(), verdict.ranks.end());
    ranks.insert(culprits.begin(), culprits.end());
    for (const std::uint32_t rank : ranks) {
      verdict_ranks.add(verdictRankTable(),
                        {number, rank, culprits.count(rank) > 0});
    }
  }
  verdicts.finish();
  verdict_ranks.finish();
}

}  // namespace traced
