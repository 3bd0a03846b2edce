// Writes the result of a comparison for people, CI systems and programs.

#pragma once

#include <string>
#include <vector>

#include "analysis/compare/comparison.h"
#include "cli/common/json.h"
#include "phrasing/compare_text.h"

namespace traced {

// Returns the relative change of a ratio: 1.123 becomes "+12.3 %".
std::string ratioCell(double ratio);
// Returns the text of a change: "worse, follows"; "" for no change.
const char* kindCell(ChangeKind kind, bool follows);

// Returns the result for people. Without `all`, the table has at most one
// screen of rows and hides those without a change.
std::string compareText(const Comparison& comparison, bool all);
Json compareJson(const Comparison& comparison);
std::string compareJunit(const Comparison& comparison);
// Returns a page of at most 1 MiB. GitHub drops a longer one entirely.
std::string compareMarkdown(const Comparison& comparison);
// Returns GitHub workflow commands that create annotations: at most 10 of each
// kind, which is GitHub's limit. `workspace` is removed from file names.
std::string compareAnnotations(const Comparison& comparison,
                               const std::string& workspace);
// Returns SARIF with only those findings that have a source location.
std::string compareSarif(const Comparison& comparison,
                         const std::string& workspace);

}  // namespace traced
