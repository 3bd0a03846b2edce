// A report as one page: it needs no server and asks for nothing.

#pragma once

#include <ostream>
#include <string>

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

}  // namespace traced
