#include "cli/compare/compare_formats.h"

#include "cli/compare/compare_output.h"

namespace traced {

const CompareFormat kCompareFormat[kCompareFormats] = {
    {"--junit", "Write JUnit XML too, over what is there",
     [](const Comparison& comparison, const std::string&) {
       return compareJunit(comparison);
     }},
    {"--markdown", "Write a page of Markdown too, of at most 1 MiB",
     [](const Comparison& comparison, const std::string&) {
       return compareMarkdown(comparison);
     }},
    {"--sarif", "Write SARIF too: what has a line in the program's code",
     compareSarif},
};

}  // namespace traced
