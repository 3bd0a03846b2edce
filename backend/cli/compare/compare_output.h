// What a comparison found, as people, CI systems and programs read it.

#pragma once

#include <string>
#include <vector>

#include "analysis/compare/comparison.h"
#include "cli/common/json.h"
#include "phrasing/compare_text.h"

namespace traced {

// "+12.3 %" of 1.123.
std::string ratioCell(double ratio);
// "worse, follows"; "" of none.
const char* kindCell(ChangeKind kind, bool follows);

std::string compareText(const Comparison& comparison, bool all);
Json compareJson(const Comparison& comparison);
std::string compareJunit(const Comparison& comparison);
// At most 1 MiB: GitHub leaves out a longer one as a whole.
std::string compareMarkdown(const Comparison& comparison);
// Workflow commands that make annotations; at most 10 of each kind are shown.
std::string compareAnnotations(const Comparison& comparison,
                               const std::string& workspace);
// Only what has a place in the program's code.
std::string compareSarif(const Comparison& comparison,
                         const std::string& workspace);

}  // namespace traced
