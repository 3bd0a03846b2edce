// IssuedCall describes an operation at its issue, as JSON text.
// docs/reference/settings.md, "Printing", describes the fields.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace traced::v1 {
class Call;
class Group;
class Header;
class Stack;
}  // namespace traced::v1

namespace traced {

struct IssuedCall {
  // Maximum bytes of the text that changes from call to call.
  static constexpr std::size_t kMaxTail = 640;

  // The beginning of the JSON object: what all repetitions share.
  std::string head;
  std::uint64_t group_hash = 0;
  bool is_message = false;
  // Global ranks of a message.
  std::uint32_t source = 0;
  std::uint32_t destination = 0;

  // Returns the correlation id. "" without a sequence number.
  std::string correlation(std::uint64_t seq) const;

  // What changes from call to call. 0 and "" are unknown.
  struct Issue {
    std::uint64_t seq = 0;
    std::uint64_t batch = 0;
    std::int64_t realtime_ns = 0;
    std::string_view source_line;
  };
  // Returns the JSON object.
  std::string text(const Issue& issue) const;
};

// Describes a call of the process with this header.
IssuedCall describeIssued(const v1::Header& header, const v1::Call& call,
                          const v1::Group& group);

// Returns "cuda:3", or "" if the device is unknown.
std::string deviceText(const v1::Call& call);
// Returns the members' global ranks: "0-3,8". Long lists are cut: "0,3,...".
std::string membersText(const v1::Group& group);
// Returns "train.py:12", or "" if the stack is absent or has no call site.
std::string sourceLineOf(const v1::Stack* stack);

}  // namespace traced
