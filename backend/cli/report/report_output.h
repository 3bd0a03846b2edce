// Writes a Report as text and as JSON.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/reading/trace_set.h"
#include "analysis/report/report.h"
#include "analysis/report/step_summary.h"
#include "cli/common/json.h"
#include "phrasing/text.h"

namespace traced {

struct ReportTextOptions {
  // Rows beyond this number are only counted.
  std::size_t max_rows = 30;
  // Prints every figure of every time, and the totals of ranks and groups.
  bool wide = false;
  // Screen width. `wide` allows longer lines.
  std::size_t columns = kScreenColumns;
  bool colours = false;
  // The sort key. Its column is never removed to save space.
  std::string sort;
};

std::string reportText(const std::string& title, const TraceSet& set,
                       const Report& report, const ReportTextOptions& options);

// Returns a share of `run_ns`: "-" if call and wait times are unknown,
// "2.1-18.9 %" if waits were not recorded, ">=2.1 %" if records were lost.
std::string shareCell(const Report& report, const CallTotals& totals,
                      std::uint64_t run_ns);
// Returns how much of the run was communication, and of what kind. "" without
// rank time.
std::string communicationText(const Report& report);
// Returns how long steps took, and why the slowest ones did. "" without steps.
std::string stepsText(const Report& report);
// Returns how long ranks ran before their first operation and after their last.
std::string outsideText(const RunSummary& summary);
// Return sentences about clocks, late ranks and slowdowns over time; "" if they
// have nothing to report.
std::string clocksText(const Report& report);
std::string latestText(const Report& report);
std::string degradedText(const Report& report);
// Return a sentence and a table about how long creating groups and their first
// calls took. "" if it is little, unless `all`.
std::string groupStartText(const Report& report, bool all);
std::string groupStartsText(const Report& report, bool all);
// Returns hints about lines that issue many small calls; "" if none.
std::string smallCallsText(const Report& report);
// Returns how much the groups folded into one row differ.
std::string rolesText(const Report& report);

// Returns notes about the summed calls, one per line.
std::string notesText(const Report& report);

// Return the tables of time per rank and per group.
std::string rankTotalsText(const Report& report);
std::string groupTotalsText(const Report& report);

// Sets the fields of a breakdown.
void addTime(Json& json, const TimeBreakdown& time);
// Returns the data of the pictures (docs/use/report.md). The report must have
// pictures.
Json picturesJson(const Report& report);
// Returns the figures of the first screen, as fractions of the time of all
// ranks.
Json pictureSharesJson(const Report& report);

// Returns the report with all rows.
Json reportJson(const std::string& title, const TraceSet& set,
                const Report& report);

}  // namespace traced
