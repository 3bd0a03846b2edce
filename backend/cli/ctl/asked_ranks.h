// Which ranks of a run can be asked for something, and where.

#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "analysis/reading/trace_set.h"
#include "base/result.h"
#include "cli/ctl/answers.h"

namespace traced {

struct AskedRanks {
  // By rank.
  std::vector<AskedRank> ranks;
  // The files that they look at for requests.
  std::set<std::string> files;
  // Of the run, but not known to be alive.
  std::vector<std::uint32_t> ended;
};

// Those of the selected run that are `wanted`, all if that is absent. An Error
// is one sentence: somebody wanted is not there, or cannot be asked. Of `set`
// only the ends of streams are left.
Result<AskedRanks> ranksToAsk(
    TraceSet& set,
    const std::optional<absl::flat_hash_set<std::uint32_t>>& wanted);

}  // namespace traced
