// Reads the tables of a page of docs/ from its Markdown.

#pragma once

#include <string>
#include <vector>

namespace traced::testing {

using DocRow = std::vector<std::string>;

// Returns the rows of the first table after a heading, without the header row.
// Fails the test if none is found.
std::vector<DocRow> tableBehind(const std::string& page,
                                const std::string& heading);
// Returns the rows of the table whose header is `columns`, such as "kind |
// proof".
std::vector<DocRow> tableOf(const std::string& page,
                            const std::string& columns);

// Returns the texts in backticks, in order: {"nccl", "nccl2"} for "`nccl`,
// `nccl2`".
std::vector<std::string> quotedIn(const std::string& text);

// Returns the whole page.
std::string textOfPage(const std::string& page);

}  // namespace traced::testing
