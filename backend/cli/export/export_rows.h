// Writes a run's operations, rank by rank, or another table, as rows of one
// format.

#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "analysis/job/run_filters.h"
#include "analysis/job/run_summary.h"
#include "analysis/reading/trace_set.h"
#include "cli/export/operation_columns.h"

namespace traced {

class TableColumn;

class ExportWriter {
 public:
  virtual ~ExportWriter() = default;

  // What comes before the first row.
  virtual void begin(std::ostream&, const std::vector<const ColumnInfo*>&) {}
  // The calls of one rank, in the order of their issue.
  virtual void addRank(std::ostream& out, const StreamTable& table,
                       const std::vector<ExportedCall>& calls) = 0;
  // Rows of another table.
  virtual void addRows(std::ostream&, const std::vector<TableColumn>&) {}
  // What whoever reads it should know; "" when that is nothing.
  virtual std::string note() const { return ""; }
};

// For whom rows are. A program gets names as they were recorded; a terminal
// without their control characters; a spreadsheet, which would take text that
// begins so for a formula, an apostrophe before it.
enum class RowReader { kProgram, kTerminal, kSpreadsheet };

// RFC 4180: a line of column names, CRLF, quotes where they are needed.
std::unique_ptr<ExportWriter> makeCsvWriter(RowReader reader);
// A JSON object per line, with the columns that are known.
std::unique_ptr<ExportWriter> makeJsonlWriter(RowReader reader);
// A line per call, for reading and grep.
std::unique_ptr<ExportWriter> makeTextWriter(RowReader reader);

struct RowFormat {
  const char* name;
  const char* what;
  // Whether it can write every table, and not just operations.
  bool any_table;
  std::unique_ptr<ExportWriter> (*make)(RowReader reader);
};

absl::Span<const RowFormat> rowFormats();

struct ExportSelection {
  ReportedScope scope = ReportedScope::kAll;
  RunWindow window;
};

// Operations that are not in the selection.
struct LeftOutOfExport {
  std::uint64_t of_scope = 0;
  std::uint64_t of_window = 0;
};

// Rank by rank: only one is in memory. What is lost or odd goes to `summary`.
LeftOutOfExport writeExport(std::ostream& out, ExportWriter& writer,
                            const TraceSet& set,
                            const ExportSelection& selection,
                            RunSummary& summary);

}  // namespace traced
