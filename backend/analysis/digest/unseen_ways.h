// How rows of a digest are taken together for a bound of the waits that were
// not seen, which is not the sum of the rows': a moment counts once. So a
// digest has it for each way in which a report may take rows of a rank
// together.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "analysis/digest/digest_row.h"
#include "analysis/stream/definitions.h"

namespace traced {

// What rows have in common that are taken together. Groups may be told apart,
// be taken together by their role (see GroupRoles), or not matter.
struct UnseenWay {
  enum class Groups { kEach, kRole, kAny };

  Groups groups = Groups::kEach;
  bool op = true;
  bool dtype = true;
  bool size = true;

  bool operator==(const UnseenWay&) const = default;
};

// All of them, in the order in which a digest has their figures.
std::vector<UnseenWay> unseenWays();

// Of each row the number of those that it is taken together with, counted as
// they come; kNoCell of one in which all waits were seen.
struct UnseenCells {
  static constexpr std::uint32_t kNoCell = ~std::uint32_t{0};

  std::vector<std::uint32_t> of_row;
  std::uint32_t count = 0;
};
UnseenCells unseenCells(const UnseenWay& way, absl::Span<const DigestRow> rows,
                        absl::Span<const GroupDefinition> groups);

}  // namespace traced
