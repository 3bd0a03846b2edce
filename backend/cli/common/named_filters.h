// Filters as people type them, held against what the traces have.

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

// "0-3,5" is {0, 1, 2, 3, 5}, and "0-6/2" {0, 2, 4, 6}, as RankList writes it.
// An Error names the part that is none.
Result<absl::flat_hash_set<std::uint32_t>> parseRanks(const std::string& text);

}  // namespace traced
