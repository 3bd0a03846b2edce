// ExportWriter writes operations in one format, rank by rank.

#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "cli/export_columns.h"

namespace traced {

class ExportWriter {
 public:
  virtual ~ExportWriter() = default;

  // What comes before the first rank.
  virtual void begin(std::ostream&) {}
  // The calls of one rank, in the order of their issue.
  virtual void addRank(std::ostream& out, const StreamTable& table,
                       const std::vector<ExportedCall>& calls) = 0;
};

// RFC 4180: a line of column names, CRLF, quotes where they are needed. On a
// terminal names are shown without their control characters.
std::unique_ptr<ExportWriter> makeCsvWriter(bool for_terminal);
// A JSON object per line, with the columns that are known.
std::unique_ptr<ExportWriter> makeJsonlWriter();
// A line per call, for reading and grep.
std::unique_ptr<ExportWriter> makeTextWriter();

}  // namespace traced
