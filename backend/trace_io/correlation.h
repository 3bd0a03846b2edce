// The correlation id of an operation: a name that all ranks which share the
// operation come to by themselves, from the identity of the group and the
// number of the operation. docs/reference/format.md, "Correlation".

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace traced {

// The identity of a group, as one number.
class GroupHash {
 public:
  GroupHash(std::uint32_t attempt, std::string_view leg, std::uint32_t nth);
  // Global ranks of the members, in group rank order.
  void add(std::uint32_t member);
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_;
};

// The ids as numbers. `seq` is not 0.
std::uint64_t collectiveNumber(std::uint64_t group_hash, std::uint64_t seq);
std::uint64_t messageNumber(std::uint64_t group_hash, std::uint32_t source,
                            std::uint32_t destination, std::uint64_t seq);

// The same as 16 hexadecimal digits.
std::string correlationOfCollective(std::uint64_t group_hash,
                                    std::uint64_t seq);
std::string correlationOfMessage(std::uint64_t group_hash, std::uint32_t source,
                                 std::uint32_t destination, std::uint64_t seq);

}  // namespace traced
