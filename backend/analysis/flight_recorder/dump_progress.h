// Which groups the counters of a dump are about. `pg_status` has them by a
// number that counts the groups of the process, `entries` say which group that
// is, and `pg_config` names the groups.

#pragma once

#include <cstdint>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "analysis/flight_recorder/dump.h"

namespace traced {

// The names of groups by their number. An entry names both. What no entry is of
// is known by the order in which groups were made, in which the process numbers
// them and torch names them "0", "1", "33": if as many groups have counters as
// have members, all names are such numbers, and no entry contradicts.
absl::flat_hash_map<std::int64_t, std::string_view> groupNamesById(
    const Dump& dump);

}  // namespace traced
