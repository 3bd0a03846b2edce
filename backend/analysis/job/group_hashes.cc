#include "analysis/job/group_hashes.h"

#include "trace_io/correlation.h"

namespace traced {
namespace {

// A group says in a dozen bytes that it has 16 million members.
constexpr std::uint64_t kMostHashedMembers = 4'000'000;

}  // namespace

std::uint64_t groupHash(std::uint32_t attempt, const GroupDefinition& group) {
  GroupHash hash(attempt, group.leg, group.nth);
  group.members.forEach([&](std::uint32_t rank) { hash.add(rank); });
  return hash.value();
}

bool HashedMembers::canHash(const GroupDefinition& group) {
  members_ += group.members.size();
  const bool known = !group.by_name && group.members.size() > 0;
  return known && members_ <= kMostHashedMembers;
}

std::vector<std::uint64_t> groupHashes(const StreamTable& table) {
  std::vector<std::uint64_t> hashes;
  HashedMembers hashed;
  for (const GroupDefinition& group : table.definitions.groups()) {
    hashes.push_back(
        hashed.canHash(group) ? groupHash(table.header.attempt(), group) : 0);
  }
  return hashes;
}

}  // namespace traced
