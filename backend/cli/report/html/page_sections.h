// A report as one page, which needs no server and asks for nothing, and the
// parts of it.

#pragma once

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
  // One with pictures.
  const Report& report;
  // Of the whole run, whatever the report is about.
  const Diagnosis& diagnosis;
  // The run's inputs, quoted for a shell, and a sentence that explains them
  // where they are too many to be named; "" otherwise.
  std::string inputs;
  std::string inputs_note;
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

// Whether a verdict is that ranks stood still, for a second or longer.
bool isHang(const PageInput& input, const JobVerdict& verdict);

// Returns what the charts need to draw a hang: who waits since when, and who is
// missing. Instants count from where the charts begin.
Json hangJson(const PageInput& input, const JobVerdict& verdict);
// Of each hang of the run.
Json hangsJson(const PageInput& input);

// Returns the first screen: the sentence, four numbers and the verdicts.
std::string headerHtml(const PageInput& input);

// Returns what the page does not know. At least one sentence: that nothing is
// known to be missing.
std::vector<std::string> unknownSentences(const PageInput& input);

}  // namespace traced
