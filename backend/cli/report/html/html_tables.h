// The tables of a page: what the text and the JSON of a report have.

#pragma once

#include <string>

#include "analysis/report/report.h"

namespace traced {

// Each "" where there is nothing to tell.
std::string stepTable(const Report& report);
std::string latenessTable(const Report& report);
std::string linkTable(const Report& report);
std::string speedTable(const Report& report);
std::string operationTable(const Report& report);
std::string rankTable(const Report& report);
std::string groupTable(const Report& report);

}  // namespace traced
