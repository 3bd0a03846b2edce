#include "analysis/job/group_hashes.h"

#include "trace_io/correlation.h"

namespace traced {
namespace {

// A group says in a dozen bytes that it has 16 million members.
constexpr std::uint64_t kMostHashedMembers = 4'000'000;

}  // namespace

std::vector<std::uint64_t> groupHashes(const StreamTable& table) {
  std::vector<std::uint64_t> hashes;
  std::uint64_t hashed = 0;
  for (const GroupDefinition& group : table.definitions.groups()) {
    hashed += group.members.size();
    const bool known = !group.by_name && group.members.size() > 0;
    if (!known || hashed > kMostHashedMembers) {
      hashes.push_back(0);
      continue;
    }
    GroupHash hash(table.header.attempt(), group.leg, group.nth);
    group.members.forEach([&](std::uint32_t rank) { hash.add(rank); });
    hashes.push_back(hash.value());
  }
  return hashes;
}

}  // namespace traced
