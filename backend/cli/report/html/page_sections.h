// A report as one page that needs no server and makes no requests, and the
// parts of the page.

#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "analysis/diagnosis/diagnosis.h"
#include "analysis/reading/trace_set.h"
#include "analysis/report/report.h"
#include "cli/common/json.h"

namespace traced {

struct PageInput {
  std::string title;
  const TraceSet& set;
  // Must have pictures.
  const Report& report;
  // Of the whole run, whatever the report is about.
  const Diagnosis& diagnosis;
  // The run's inputs, quoted for a shell, and a sentence that explains them
  // where they are too many to be named; "" otherwise.
  std::string inputs;
  std::string inputs_note;
};

void writeHtmlPage(std::ostream& out, const PageInput& input);

// Return tables with the figures of the report's text and JSON; "" without
// rows.
std::string stepTable(const Report& report);
std::string latenessTable(const PageInput& input);
std::string linkTable(const Report& report);
std::string speedTable(const Report& report);
std::string operationTable(const Report& report);
std::string rankTable(const PageInput& input);
std::string groupTable(const Report& report);

// Returns the ranks that verdicts blame, in the order of the verdicts, at most
// 1000.
std::vector<std::uint32_t> blamedRanks(const PageInput& input);

// Returns whether a verdict is that ranks hung for a second or longer.
bool isHang(const PageInput& input, const JobVerdict& verdict);

// Returns whether any verdict is a hang.
bool hasHang(const PageInput& input);

// Returns what the charts need to draw a hang: who waits since when, who is
// missing, and until when its trace goes. Instants count from where the charts
// begin.
Json hangJson(const PageInput& input, const JobVerdict& verdict);
// Returns one element per hang of the run.
Json hangsJson(const PageInput& input);

// Returns the first screen: the headline, up to four numbers and the verdicts.
std::string headerHtml(const PageInput& input);

// Returns what is unknown, as at least one sentence.
std::vector<std::string> unknownSentences(const PageInput& input);

}  // namespace traced
