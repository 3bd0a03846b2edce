// Tables about ranks, written as their streams are read: "ranks", "steps" and
// "losses".

#pragma once

#include "absl/types/span.h"
#include "analysis/job/run_summary.h"
#include "analysis/stream/stream_table.h"
#include "cli/export/parquet/table_file.h"
#include "traced/v1/clock.pb.h"

namespace traced {

class RankTable {
 public:
  explicit RankTable(const TableFolder& folder);
  void add(const StreamTable& table, const v1::ClockModel& clock);
  void finish() { file_.finish(); }

 private:
  TableFile file_;
};

class StepTable {
 public:
  explicit StepTable(const TableFolder& folder);
  void add(const StreamTable& table, const v1::ClockModel& clock);
  void finish() { file_.finish(); }

 private:
  TableFile file_;
};

class LossTable {
 public:
  explicit LossTable(const TableFolder& folder);
  void add(const StreamTable& table);
  // What is said of inputs, of the run that was chosen, and of clocks.
  void add(const TraceSet& set, const RunSummary& summary);
  void finish() { file_.finish(); }

 private:
  // `rank`, `amount`: kNoValue of what is of none, or of nobody knows how much.
  void addRow(std::int64_t rank, const char* what, std::int64_t amount,
              const char* unit, const std::string& detail);

  TableFile file_;
};

}  // namespace traced
