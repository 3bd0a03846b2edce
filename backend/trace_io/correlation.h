// Computes the correlation id of an operation. All ranks that share the
// operation compute the same id without communication.
// It derives from the group's identity and the operation's number. See
// docs/reference/format.md, "Correlation".

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace traced {

// Hashes the identity of a group. For its parts see Group in definitions.proto.
class GroupHash {
 public:
  GroupHash(std::uint32_t attempt, std::string_view leg, std::uint32_t nth);
  // Adds a member by its global rank. Call in group rank order.
  void add(std::uint32_t member);
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_;
};

// Return the ids as numbers. `seq` must not be 0. `source` and `destination`
// are global ranks.
std::uint64_t collectiveNumber(std::uint64_t group_hash, std::uint64_t seq);
std::uint64_t messageNumber(std::uint64_t group_hash, std::uint32_t source,
                            std::uint32_t destination, std::uint64_t seq);

// Return the same ids as 16 hexadecimal digits.
std::string correlationOfCollective(std::uint64_t group_hash,
                                    std::uint64_t seq);
std::string correlationOfMessage(std::uint64_t group_hash, std::uint32_t source,
                                 std::uint32_t destination, std::uint64_t seq);

}  // namespace traced
