// A report as one page, which needs no server and asks for nothing, and the
// parts of it.

#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "analysis/diagnosis/diagnosis.h"
#include "analysis/reading/trace_set.h"
#include "analysis/report/report.h"

namespace traced {

struct PageInput {
  std::string title;
  const TraceSet& set;
  // One with pictures.
  const Report& report;
  // Of the whole run, whatever the report is about.
  const Diagnosis& diagnosis;
};

void writeHtmlPage(std::ostream& out, const PageInput& input);

// Tables with what the text and the JSON of a report have; "" without rows.
std::string stepTable(const Report& report);
std::string latenessTable(const Report& report);
std::string linkTable(const Report& report);
std::string speedTable(const Report& report);
std::string operationTable(const Report& report);
std::string rankTable(const Report& report);
std::string groupTable(const Report& report);

// Returns the first screen: the sentence, four numbers and the verdicts.
std::string headerHtml(const PageInput& input);

// Returns what the page does not know. At least one sentence: that nothing is
// known to be missing.
std::vector<std::string> unknownSentences(const PageInput& input);

}  // namespace traced
