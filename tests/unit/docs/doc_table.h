// The tables of a page of docs/, as they are written there.

#pragma once

#include <string>
#include <vector>

namespace traced::testing {

using DocRow = std::vector<std::string>;

// The rows of the first table behind a heading, without its own heading. Fails
// the test where there is none.
std::vector<DocRow> tableBehind(const std::string& page,
                                const std::string& heading);
// The same of the table whose first line is `columns`: "kind | proof".
std::vector<DocRow> tableOf(const std::string& page,
                            const std::string& columns);

// What stands in backticks, in order: {"nccl", "nccl2"} of "`nccl`, `nccl2`".
std::vector<std::string> quotedIn(const std::string& text);

// The whole page.
std::string textOfPage(const std::string& page);

}  // namespace traced::testing
