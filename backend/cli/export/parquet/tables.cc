#include "cli/export/parquet/tables.h"

#include <optional>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analysis/reading/stream_reader.h"
#include "cli/export/parquet/exported_stream.h"
#include "cli/export/parquet/job_tables.h"
#include "cli/export/parquet/match_table.h"
#include "cli/export/parquet/operation_part.h"
#include "cli/export/parquet/rank_tables.h"
#include "cli/export/parquet/wait_table.h"

namespace traced {
namespace {

// A name as part of a path, as readers of such folders take it back. File
// systems have names of 255 bytes at most.
std::string partitionValue(const std::string& name) {
  constexpr std::size_t kMostBytes = 240;
  std::string value;
  for (const char c : name) {
    const bool plain = absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
                       c == '-' || c == '_' || c == '.';
    std::string next =
        plain ? std::string(1, c)
              : absl::StrFormat("%%%02X", static_cast<unsigned char>(c));
    if (value.size() + next.size() > kMostBytes) break;
    absl::StrAppend(&value, next);
  }
  return value.empty() ? "__HIVE_DEFAULT_PARTITION__" : value;
}

std::string partitionOf(const TraceSet& set) {
  const v1::Header& header = set.streams[set.selected.front()].header;
  return absl::StrCat("job=", partitionValue(header.job()),
                      "/attempt=", header.attempt());
}

// The files of the table "operations": so many ranks are in each, unless they
// have very many operations.
class OperationFiles {
 public:
  explicit OperationFiles(const TableFolder& folder) : folder_(folder) {}

  void beginStream() {
    const bool full =
        part_ && (ranks_ >= kMostRanks || part_->rows() >= kMostRows);
    if (full) finishPart();
    if (!part_) part_.emplace(folder_, files_++);
    part_->beginStream();
    ++ranks_;
  }
  void add(const ExportedOperation& operation) { part_->add(operation); }
  void finish() {
    if (!part_) part_.emplace(folder_, files_++);
    finishPart();
  }

 private:
  static constexpr std::size_t kMostRanks = 64;
  static constexpr std::size_t kMostRows = std::size_t{1} << 20;

  void finishPart() {
    part_->finish();
    part_.reset();
    ranks_ = 0;
  }

  const TableFolder& folder_;
  std::optional<OperationPart> part_;
  std::size_t ranks_ = 0;
  std::size_t files_ = 0;
};

struct RunTables {
  explicit RunTables(const TableFolder& folder)
      : operations(folder),
        waits(folder),
        ranks(folder),
        steps(folder),
        losses(folder) {}

  OperationFiles operations;
  WaitTable waits;
  JobOperationTable job_operations;
  RankTable ranks;
  StepTable steps;
  LossTable losses;
};

void sendTables(const TraceSet& set, PythonWriter& writer,
                RunSummary& summary) {
  const TableFolder folder{writer, partitionOf(set)};
  RunArrivals run = readArrivals(set);
  summary.setClockWarnings(run.clocks.warnings);
  StreamExporter exporter(run);
  RunTables tables(folder);
  readStreams(set, [&](std::size_t i, StreamTable& table) {
    if (!writer.ok()) return;
    summary.add(table);
    tables.ranks.add(table, run.clocks.models[i]);
    tables.steps.add(table, run.clocks.models[i]);
    tables.losses.add(table);
    tables.operations.beginStream();
    exporter.forEach(i, table, [&](const ExportedOperation& operation) {
      tables.operations.add(operation);
      tables.waits.add(operation);
      tables.job_operations.add(operation);
    });
  });
  if (!writer.ok()) return;
  tables.losses.add(set, summary);
  tables.operations.finish();
  tables.waits.finish();
  tables.job_operations.write(folder, run.groups);
  tables.ranks.finish();
  tables.steps.finish();
  tables.losses.finish();
  writeGroups(folder, run.groups);
  writeVerdicts(folder, diagnose(set, {}));
}

}  // namespace

std::string writeTables(const TraceSet& set, const std::string& folder,
                        RunSummary& summary) {
  PythonWriter writer(folder);
  if (writer.ok()) sendTables(set, writer, summary);
  return writer.finish();
}

}  // namespace traced
