// Sentences about a diagnosis as a whole: no finding, or missing information.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "analysis/diagnosis/diagnosis.h"
#include "analysis/job/group_catalog.h"

namespace traced {

// Returns lines for a diagnosis without a verdict: nothing was found, or the
// end of some ranks is unknown.
// `stock_name` is the stock Flight Recorder analyzer's name for such a job; may
// be empty.
std::string nothingText(const Diagnosis& diagnosis,
                        const std::string& stock_name);

// Returns the same result as one sentence.
std::string nothingWrongText(const Diagnosis& diagnosis);

// Returns one sentence for each undecided question.
std::vector<std::string> unknownTexts(const Diagnosis& diagnosis);

// Returns the labels of the one-member groups for whose index `is_used` returns
// true. Such groups exchange nothing, which may surprise a program that reduces
// over them. Empty if no group has several members, as in a job of one rank.
std::vector<std::string> groupsOfOne(
    const GroupCatalog& groups,
    const std::function<bool(std::uint32_t)>& is_used);

// Returns a line that names the first labels; "" if `labels` is empty.
std::string groupsOfOneText(const std::vector<std::string>& labels);

// Returns the labels of groups of one member that ranks called collectives on.
std::vector<std::string> usedGroupsOfOne(const JobState& job);

}  // namespace traced
