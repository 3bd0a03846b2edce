// The tables of a run (docs/reference/tables.md).

#pragma once

#include <string>
#include <vector>

#include "analysis/job/run_summary.h"
#include "analysis/reading/trace_set.h"
#include "cli/export/columns.h"

namespace traced {

class ExportWriter;

// Returns the specifications of all tables, including "operations".
std::vector<const TableSpec*> allTables();
// Returns all tables and their columns as JSON.
std::string columnsJson();

// Writes all tables as Parquet into a new or empty folder, or nothing. Adds
// losses and anomalies to `summary`. Returns "" or the error as a sentence.
// Uses memory for the operations of one file and a row per operation of the
// job.
std::string writeParquet(const TraceSet& set, const std::string& folder,
                         RunSummary& summary);

// Writes one table with `writer`. The table must not be "operations".
void writeTable(std::ostream& out, ExportWriter& writer, const char* table,
                const TraceSet& set, RunSummary& summary);

}  // namespace traced
