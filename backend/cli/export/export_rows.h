// What tracectl export writes of a run, by any writer.

#pragma once

#include <cstdint>
#include <ostream>

#include "analysis/job/run_summary.h"
#include "analysis/job/run_window.h"
#include "analysis/job/scope.h"
#include "analysis/reading/trace_set.h"
#include "cli/export/export_writer.h"

namespace traced {

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
