// What somebody may have meant by a name that there is not.

#pragma once

#include <optional>
#include <string>
#include <vector>

namespace traced {

// The name that fewest changes of a letter (one more, one less, another, or two
// neighbours swapped) lead to; the first of several. Absent where that takes
// more than a third of the letters.
std::optional<std::string> nearestName(const std::string& name,
                                       const std::vector<std::string>& names);

// ", did you mean report?"; "" where no name is near.
std::string didYouMean(const std::string& name,
                       const std::vector<std::string>& names);

}  // namespace traced
