#include "cli/export/tables/tables.h"

#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analysis/reading/stream_reader.h"
#include "cli/export/export_rows.h"
#include "cli/export/tables/match_table.h"
#include "cli/export/tables/operation_files.h"
#include "cli/export/tables/python_writer.h"
#include "cli/export/tables/run_tables.h"
#include "cli/export/tables/value_table.h"

namespace traced {
namespace {

// Returns a name as a path component, encoded as readers of partitioned folders
// decode it. Bounded, because file systems limit names to 255 bytes.
std::string partitionValue(const std::string& name) {
  constexpr std::size_t kMaxBytes = 240;
  std::string value;
  for (const char c : name) {
    const bool plain = absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
                       c == '-' || c == '_' || c == '.';
    std::string next =
        plain ? std::string(1, c)
              : absl::StrFormat("%%%02X", static_cast<unsigned char>(c));
    if (value.size() + next.size() > kMaxBytes) break;
    absl::StrAppend(&value, next);
  }
  return value.empty() ? "__HIVE_DEFAULT_PARTITION__" : value;
}

std::string partitionOf(const TraceSet& set) {
  const v1::Header& header = set.streams[set.selected.front()].header;
  return absl::StrCat("job=", partitionValue(header.job()),
                      "/attempt=", header.attempt());
}

// Writes one table as rows of text and drops the others.
class TextOutput : public TableOutput {
 public:
  TextOutput(std::ostream& out, ExportWriter& writer, const char* table)
      : out_(out), writer_(writer), table_(table) {}

  bool wants(const char* table) const override { return table_ == table; }
  bool ok() const override { return out_.good(); }
  int begin(const TableSpec& table, const std::string&) override {
    if (!wants(table.name)) return kDropped;
    if (files_ == 0) writer_.begin(out_, table.columns);
    return files_++;
  }
  void add(int file, const std::vector<TableColumn>& columns) override {
    if (file != kDropped) writer_.addRows(out_, columns);
  }
  void end(int) override {}

 private:
  static constexpr int kDropped = -1;

  std::ostream& out_;
  ExportWriter& writer_;
  const std::string_view table_;
  int files_ = 0;
};

// Writes the tables that are computed from operations.
class OperationTables {
 public:
  OperationTables(const TableFolder& folder, const RunReadyTimes& run)
      : folder_(folder),
        exporter_(run),
        operations_(folder, operationTable(), kRanksInFile),
        waits_(folder, waitTable(), OperationFiles::kAnyRanks) {}

  // Adds a stream. Returns the time of its rank if a table has it.
  std::optional<RankTime> add(std::size_t stream, const StreamTable& table) {
    const bool operations = operations_.wanted();
    const bool waits = waits_.wanted();
    const bool matches = folder_.output.wants(JobMatchTable::table().spec.name);
    const bool times = folder_.output.wants(rankTable().spec.name) ||
                       folder_.output.wants(stepTable().spec.name);
    if (operations) operations_.beginStream();
    if (waits) waits_.beginStream();
    if (!operations && !waits && !matches && !times) return std::nullopt;
    return exporter_.forEach(stream, table,
                             [&](const ExportedOperation& operation) {
                               if (operations) operations_.add(operation);
                               if (waits && isInWaitTable(operation))
                                 waits_.add(operation);
                               if (matches) matches_.add(operation);
                             });
  }
  void finish() {
    operations_.finish();
    waits_.finish();
    matches_.write(folder_);
  }

 private:
  static constexpr std::size_t kRanksInFile = 64;

  const TableFolder& folder_;
  StreamExporter exporter_;
  OperationFiles operations_;
  OperationFiles waits_;
  JobMatchTable matches_;
};

void writeTables(const TraceSet& set, TableOutput& output,
                 RunSummary& summary) {
  const TableFolder folder{output, partitionOf(set)};
  RunReadyTimes run = readReadyTimes(set);
  summary.setClockWarnings(run.clocks.warnings);
  OperationTables operations(folder, run);
  StreamTables streams(folder);
  ValueTable values(folder, run.groups);
  readStreams(set, [&](std::size_t i, StreamTable& table) {
    if (!output.ok()) return;
    summary.add(table);
    streams.add(table, run.clocks.models[i], operations.add(i, table));
    values.add(table);
  });
  if (!output.ok()) return;
  streams.add(set, summary);
  operations.finish();
  streams.finish();
  values.finish();
  writeGroups(folder, run.groups);
  const bool diagnosed = output.wants(verdictTable().spec.name) ||
                         output.wants(verdictRankTable().spec.name);
  if (diagnosed) writeVerdicts(folder, diagnose(set, {}));
}

Json columnJson(const ColumnInfo& column) {
  Json json = {{"name", column.name},
               {"type", nameOf(column.kind)},
               {"meaning", column.meaning}};
  if (*column.absent) json["absent"] = column.absent;
  return json;
}

Json operationColumnsJson() {
  Json columns = Json::array();
  for (const ExportColumn& column : operationColumns()) {
    Json json = columnJson(column);
    if (column.in == ColumnIn::kRows) json["only_in"] = "rows";
    if (column.in == ColumnIn::kParquet) json["only_in"] = "parquet";
    columns.push_back(std::move(json));
  }
  return columns;
}

}  // namespace

std::vector<const TableSpec*> allTables() {
  return {&operationTable().spec,
          &waitTable().spec,
          &JobMatchTable::table().spec,
          &rankTable().spec,
          &stepTable().spec,
          &resourceTable().spec,
          &valueTable().spec,
          &lossTable().spec,
          &groupTable().spec,
          &verdictTable().spec,
          &verdictRankTable().spec};
}

std::string columnsJson() {
  Json tables = Json::array();
  for (const TableSpec* table : allTables()) {
    Json columns = Json::array();
    for (const ColumnInfo* column : table->columns) {
      columns.push_back(columnJson(*column));
    }
    if (table == &operationTable().spec) columns = operationColumnsJson();
    Json json = {{"table", table->name},
                 {"row", table->row},
                 {"columns", std::move(columns)}};
    tables.push_back(std::move(json));
  }
  return jsonText({{"schema", kJsonSchema}, {"tables", std::move(tables)}}) +
         "\n";
}

std::string writeParquet(const TraceSet& set, const std::string& folder,
                         RunSummary& summary) {
  PythonWriter writer(folder);
  if (writer.ok()) writeTables(set, writer, summary);
  return writer.finish();
}

void writeTable(std::ostream& out, ExportWriter& writer, const char* table,
                const TraceSet& set, RunSummary& summary) {
  TextOutput output(out, writer, table);
  writeTables(set, output, summary);
}

}  // namespace traced
