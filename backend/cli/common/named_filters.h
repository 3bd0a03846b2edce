// Filters as people type them, held against what the traces have.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/match/loaded_run.h"

namespace traced {

struct NamedFilters {
  // "" and empty: not given.
  std::string ranks;
  std::vector<std::string> groups;
  std::vector<std::string> ops;
};

// A sentence about the first name that nothing in the run has, with those that
// there are; "" if all have something.
std::string unknownName(const NamedFilters& filters, const LoadedRun& run);

// The same of ranks, as parseRanks() takes them, and of labels of groups.
std::string unknownRanks(const std::string& wanted,
                         const std::vector<std::uint32_t>& there);
std::string unknownGroup(const std::vector<std::string>& wanted,
                         const GroupCatalog& groups);

}  // namespace traced
