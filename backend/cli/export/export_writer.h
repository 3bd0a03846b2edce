// ExportWriter writes operations in one format, rank by rank.

#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "cli/export/export_columns.h"

namespace traced {

class ExportWriter {
 public:
  virtual ~ExportWriter() = default;

  // What comes before the first rank.
  virtual void begin(std::ostream&) {}
  // The calls of one rank, in the order of their issue.
  virtual void addRank(std::ostream& out, const StreamTable& table,
                       const std::vector<ExportedCall>& calls) = 0;
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
  std::unique_ptr<ExportWriter> (*make)(RowReader reader);
};

absl::Span<const RowFormat> rowFormats();

}  // namespace traced
