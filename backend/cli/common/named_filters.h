// Validates filters from the command line against the names in the traces.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "base/result.h"

namespace traced {

class GroupCatalog;
struct LoadedRun;

struct NamedFilters {
  // Empty values mean that the filter is not set.
  std::string ranks;
  std::vector<std::string> groups;
  std::vector<std::string> ops;
};

// Returns a sentence about the first name that matches nothing in the run, with
// the existing names; "" if every name matches.
std::string unknownName(const NamedFilters& filters, const LoadedRun& run);

// Return the same sentence for ranks and for group labels. One matching rank is
// enough. `wanted` must be valid for parseRanks().
std::string unknownRanks(const std::string& wanted,
                         const std::vector<std::uint32_t>& there);
std::string unknownGroup(const std::vector<std::string>& wanted,
                         const GroupCatalog& groups);

// Parses a list of ranks in the syntax that RankList writes: "0-3,5" is {0, 1,
// 2, 3, 5}, and "0-6/2" is {0, 2, 4, 6}. An Error names the invalid part.
Result<absl::flat_hash_set<std::uint32_t>> parseRanks(const std::string& text);

}  // namespace traced
