// Bounds of a host's digest. A writer leaves out what exceeds them. A reader
// rejects a digest that exceeds them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "traced/v1/host_digest.pb.h"

namespace traced {

constexpr std::size_t kMaxDigestBytes = 512 << 10;
// Maximum size in bytes of one text, of a job, group or call.
constexpr std::size_t kMaxDigestText = 512;

// Returns `text`, cut to kMaxDigestText bytes at a boundary of a UTF-8
// character.
std::string boundedText(const std::string& text);

// Returns whether all members of a group run on the host that sends the digest.
bool isWithinHost(const v1::GroupDigest& group);

// A digest in the form that other hosts receive.
struct WrittenDigest {
  std::string bytes;
  // Number of groups that did not fit. Groups within the host are left out
  // first.
  std::uint32_t left_out_groups = 0;
};
// Serializes a digest, reduced to the bounds.
WrittenDigest writeDigest(v1::HostDigest digest);
// Parses a digest of another host, whose content is not trusted. A returned
// digest keeps all bounds and has only well-formed groups. An Error explains
// what is wrong with it.
Result<v1::HostDigest> readDigest(const std::string& bytes);

}  // namespace traced
