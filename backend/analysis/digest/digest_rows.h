// The rows of a digest, as columns.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/digest/digest_row.h"
#include "traced/v1/digest.pb.h"

namespace traced {

// What stands for a text and for a group in columns.
struct DigestIds {
  std::function<std::uint32_t(const std::string&)> text;
  std::function<std::uint32_t(std::uint32_t)> group;
};
// Rows of one rank.
void addRows(const std::vector<DigestRow>& rows, const DigestIds& ids,
             v1::StreamDigest& digest);

// What ids mean; of a text nullptr where it is not known.
struct DigestMeanings {
  std::function<const std::string*(std::uint32_t)> text;
  std::function<std::uint32_t(std::uint32_t)> group;
  std::uint32_t rank = 0;
};
// Absent where the columns say something impossible.
std::optional<std::vector<DigestRow>> readRows(const v1::StreamDigest& digest,
                                               const DigestMeanings& meanings);

}  // namespace traced
