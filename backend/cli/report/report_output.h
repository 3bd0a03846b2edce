// A Report as text and as JSON.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/reading/trace_set.h"
#include "analysis/report/report.h"
#include "cli/common/json.h"
#include "phrasing/text.h"

namespace traced {

struct ReportTextOptions {
  // Rows beyond these are only mentioned.
  std::size_t max_rows = 30;
  // Every figure of every time, and the totals of ranks and groups.
  bool wide = false;
  // Of the screen; `wide` lets lines be longer.
  std::size_t columns = kScreenColumns;
  bool colours = false;
  // What rows are sorted by: its column stays, whatever room there is.
  std::string sort;
};

std::string reportText(const std::string& title, const TraceSet& set,
                       const Report& report, const ReportTextOptions& options);

// A share of time: "-" where nothing tells how long calls and waits took,
// "2.1-18.9 %" where waits were not seen, ">=2.1 %" where records were lost.
std::string shareCell(const Report& report, const CallTotals& totals,
                      std::uint64_t run_ns);
// How much of rank time operations waited for peers: a figure, or its bounds
// where clocks leave it open. Rank time must not be 0.
std::string waitingCell(const Report& report, const char* between);

// Sentences about clocks, about who was late, and about what became slower; ""
// where there is nothing to say.
std::string clocksText(const Report& report);
std::string latestText(const Report& report);
std::string degradedText(const Report& report);
// How much the groups differ that were folded into one row.
std::string rolesText(const Report& report);

// What is to be known of the calls that were added up, a line each.
std::string notesText(const Report& report);

// Two tables: what each rank and each group spent.
std::string rankTotalsText(const Report& report);
std::string groupTotalsText(const Report& report);

// What pictures show: see docs/use/report.md. Only of a report that has them.
Json picturesJson(const Report& report);
// Of it the numbers of the first screen, parts of the time of all ranks.
Json pictureSharesJson(const Report& report);

// All rows.
Json reportJson(const std::string& title, const TraceSet& set,
                const Report& report);

}  // namespace traced
