// What a digest of a host may hold at most: of what is sent more is left out,
// and a digest that has more is not read.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "traced/v1/host_digest.pb.h"

namespace traced {

constexpr std::size_t kMaxDigestBytes = 512 << 10;
// Texts of one job, group or call.
constexpr std::size_t kMaxDigestText = 512;

// The beginning of a text that is valid UTF-8, as far as it may be told.
std::string boundedText(const std::string& text);

// Whether all members of a group run on the host that tells of it.
bool isWithinHost(const v1::GroupDigest& group);

// What other hosts are told.
struct WrittenDigest {
  std::string bytes;
  // For which there was no room: first those within the host.
  std::uint32_t left_out_groups = 0;
};
WrittenDigest writeDigest(v1::HostDigest digest);
// An Error says what is wrong with it. What is read keeps to all bounds, and
// its groups are groups.
Result<v1::HostDigest> readDigest(const std::string& bytes);

}  // namespace traced
