// The small tables of a run. The rows of "ranks", "steps", "resources" and
// "losses" are written while streams are read. "groups", "verdicts" and
// "verdict_ranks" follow at the end.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analysis/diagnosis/diagnosis.h"
#include "analysis/job/group_catalog.h"
#include "analysis/job/run_summary.h"
#include "analysis/stream/process_end.h"
#include "analysis/stream/stream_table.h"
#include "analysis/time_split/rank_time.h"
#include "cli/export/tables/table_file.h"
#include "traced/v1/clock.pb.h"

namespace traced {

struct RankRow {
  const StreamTable& table;
  const v1::ClockModel& clock;
  ProcessEnd end;
  std::optional<TimeBreakdown> time;

  // Returns an instant on the common time line; absent if it is unknown.
  CellValue commonCell(Instant at) const;
};

struct StepRow {
  const RankRow& rank;
  const Marks::Step& step;
  std::optional<TimeBreakdown> time;
};

struct SampleRow {
  const RankRow& rank;
  const ResourceRow& sample;
};

struct LossRow {
  std::optional<std::int64_t> rank;
  const char* what;
  // Absent where the amount is unknown.
  std::optional<std::int64_t> amount;
  const char* unit;
  std::string detail;
};

struct VerdictRow {
  std::uint64_t number;
  const JobVerdict& verdict;
  const JobState& job;
};

struct VerdictRankRow {
  std::uint64_t number;
  std::uint32_t rank;
  bool is_culprit;
};

const TableOf<RankRow>& rankTable();
const TableOf<StepRow>& stepTable();
const TableOf<SampleRow>& resourceTable();
const TableOf<LossRow>& lossTable();
const TableOf<JobGroup>& groupTable();
const TableOf<VerdictRow>& verdictTable();
const TableOf<VerdictRankRow>& verdictRankTable();

// Writes "ranks", "steps", "resources" and "losses".
class StreamTables {
 public:
  explicit StreamTables(const TableFolder& folder)
      : ranks_(folder, rankTable().spec),
        steps_(folder, stepTable().spec),
        resources_(folder, resourceTable().spec),
        losses_(folder, lossTable().spec) {}

  // Adds the rows of one stream. `time`: of its rank; absent if no table has
  // it.
  void add(const StreamTable& table, const v1::ClockModel& clock,
           const std::optional<RankTime>& time);
  // Adds rows without a rank to "losses": warnings about inputs, the chosen run
  // and clocks, absent ranks, and unusable bytes.
  void add(const TraceSet& set, const RunSummary& summary);
  // Completes the four tables.
  void finish();

 private:
  void addSteps(const RankRow& rank, const std::optional<RankTime>& time);
  // Adds a row for each kind of loss in the stream.
  void addLosses(const StreamTable& table);

  TableFile ranks_;
  TableFile steps_;
  TableFile resources_;
  TableFile losses_;
};

// Writes "groups", with a row for each group. This function and the next one
// report failures through ok() of the folder's output.
void writeGroups(const TableFolder& folder, const GroupCatalog& groups);
// Writes "verdicts" and "verdict_ranks". The latter has a row for each rank
// that a verdict names.
void writeVerdicts(const TableFolder& folder, const Diagnosis& diagnosis);

}  // namespace traced
