// Ranks as people type them.

#pragma once

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "base/result.h"

namespace traced {

// "0-3,5" is {0, 1, 2, 3, 5}, and "0-6/2" {0, 2, 4, 6}, as RankList writes it.
// An Error names the part that is none.
Result<absl::flat_hash_set<std::uint32_t>> parseRanks(const std::string& text);

}  // namespace traced
