// What is said of a diagnosis as a whole: that nothing was found, and what is
// not known.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "analysis/diagnosis/diagnosis.h"
#include "analysis/job/group_catalog.h"

namespace traced {

// Lines on a diagnosis without a verdict: that nothing was found, or what is
// not known. `stock_name`: of such a diagnosis, for dumps; may be empty.
std::string nothingText(const Diagnosis& diagnosis,
                        const std::string& stock_name);

// The same in a sentence.
std::string nothingWrongText(const Diagnosis& diagnosis);

// A sentence for each thing that the diagnosis could not decide.
std::vector<std::string> unknownTexts(const Diagnosis& diagnosis);

// Groups of one member exchange nothing, which a program that reduces over them
// may not expect. Returns the labels of those for whose index `is_used` is
// true. Empty for a job of one rank, where each group is one.
std::vector<std::string> groupsOfOne(
    const GroupCatalog& groups,
    const std::function<bool(std::uint32_t)>& is_used);

// Returns a line that names the first of them; "" for none.
std::string groupsOfOneText(const std::vector<std::string>& labels);

// Returns the labels of groups of one member that ranks called collectives on.
std::vector<std::string> usedGroupsOfOne(const JobState& job);

}  // namespace traced
