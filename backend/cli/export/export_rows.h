// Writes the operations of a run, rank by rank, or another table, as rows of
// one format.

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

  // Writes what precedes the first row, such as column names.
  virtual void begin(std::ostream&, const std::vector<const ColumnInfo*>&) {}
  // Writes the calls of one rank, in the order of their issue.
  virtual void addRank(std::ostream& out, const StreamTable& table,
                       const std::vector<ExportedCall>& calls) = 0;
  // Writes rows of another table than "operations".
  virtual void addRows(std::ostream&, const std::vector<TableColumn>&) {}
  // Returns a note for the reader of the export, or "".
  virtual std::string note() const { return ""; }
};

// The reader of the rows. A program gets names as they were recorded. A
// terminal gets them without control characters. For a spreadsheet, text that
// it would take for a formula gets a leading apostrophe.
enum class RowReader { kProgram, kTerminal, kSpreadsheet };

// Writes CSV as in RFC 4180: a line of column names, CRLF, and quotes where
// necessary.
std::unique_ptr<ExportWriter> makeCsvWriter(RowReader reader);
// Writes a JSON object per line, without the columns that are absent.
std::unique_ptr<ExportWriter> makeJsonlWriter(RowReader reader);
// Writes a line per call, for people and grep. `reader` decides only how names
// are escaped.
std::unique_ptr<ExportWriter> makeTextWriter(RowReader reader);

struct RowFormat {
  const char* name;
  const char* what;
  // True if it can write every table, not only "operations".
  bool any_table;
  std::unique_ptr<ExportWriter> (*make)(RowReader reader);
};

// Returns the formats of --format that consist of rows.
absl::Span<const RowFormat> rowFormats();

struct ExportSelection {
  ReportedScope scope = ReportedScope::kAll;
  RunWindow window;
};

// Number of operations that the selection excludes.
struct LeftOutOfExport {
  std::uint64_t of_scope = 0;
  std::uint64_t of_window = 0;
};

// Writes the operations of `set` rank by rank, with the rows of only one rank
// in memory. Adds losses and anomalies to `summary`.
LeftOutOfExport writeExport(std::ostream& out, ExportWriter& writer,
                            const TraceSet& set,
                            const ExportSelection& selection,
                            RunSummary& summary);

}  // namespace traced
