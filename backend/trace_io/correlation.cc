#include "trace_io/correlation.h"

#include "trace_io/word_hash.h"
#include "xxhash.h"

namespace traced {
namespace {

template <typename... Words>
std::uint64_t hashOf(std::uint64_t seed, Words... words) {
  const std::uint64_t all[] = {words...};
  return wordHash(all, seed);
}

std::string textOf(std::uint64_t number) {
  std::string text(16, '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit) {
    *digit = "0123456789abcdef"[number % 16];
    number /= 16;
  }
  return text;
}

}  // namespace

GroupHash::GroupHash(std::uint32_t attempt, std::string_view leg,
                     std::uint32_t nth)
    : value_(hashOf(XXH3_64bits(leg.data(), leg.size()), std::uint64_t{attempt},
                    std::uint64_t{nth})) {}

void GroupHash::add(std::uint32_t member) {
  value_ = hashOf(value_, std::uint64_t{member});
}

std::uint64_t collectiveNumber(std::uint64_t group_hash, std::uint64_t seq) {
  return hashOf(group_hash, seq);
}

std::uint64_t messageNumber(std::uint64_t group_hash, std::uint32_t source,
                            std::uint32_t destination, std::uint64_t seq) {
  return hashOf(group_hash, std::uint64_t{source}, std::uint64_t{destination},
                seq);
}

std::string correlationOfCollective(std::uint64_t group_hash,
                                    std::uint64_t seq) {
  return textOf(collectiveNumber(group_hash, seq));
}

std::string correlationOfMessage(std::uint64_t group_hash, std::uint32_t source,
                                 std::uint32_t destination, std::uint64_t seq) {
  return textOf(messageNumber(group_hash, source, destination, seq));
}

}  // namespace traced
