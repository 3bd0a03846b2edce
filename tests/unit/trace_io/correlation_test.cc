#include "trace_io/correlation.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace traced {
namespace {

std::uint64_t hashOf(std::uint32_t attempt, const std::string& leg,
                     std::uint32_t nth, std::initializer_list<int> members) {
  GroupHash hash(attempt, leg, nth);
  for (const int member : members) {
    hash.add(static_cast<std::uint32_t>(member));
  }
  return hash.value();
}

TEST(CorrelationTest, EverythingThatDistinguishesOperationsCounts) {
  const std::uint64_t group = hashOf(0, "cpu", 0, {0, 1, 2});
  std::set<std::string> ids = {
      correlationOfCollective(group, 1),
      correlationOfCollective(group, 2),
      correlationOfMessage(group, 0, 1, 1),
      correlationOfMessage(group, 1, 0, 1),
      correlationOfMessage(group, 0, 1, 2),
  };
  for (const std::uint64_t other :
       {hashOf(1, "cpu", 0, {0, 1, 2}), hashOf(0, "cuda", 0, {0, 1, 2}),
        hashOf(0, "cpu", 1, {0, 1, 2}), hashOf(0, "cpu", 0, {0, 2, 1}),
        hashOf(0, "cpu", 0, {0, 1})}) {
    ids.insert(correlationOfCollective(other, 1));
  }
  EXPECT_EQ(ids.size(), 10u);
  for (const std::string& id : ids) EXPECT_EQ(id.size(), 16u) << id;
}

// The values of docs/reference/format.md, from which readers can compute the
// same ids.
TEST(CorrelationTest, AnIdNeverChanges) {
  const std::uint64_t group = hashOf(0, "cpu", 0, {0, 1});
  EXPECT_EQ(correlationOfCollective(group, 1), "d270e29549153117");
  EXPECT_EQ(correlationOfMessage(group, 0, 1, 1), "e04dcebade24cb62");
}

}  // namespace
}  // namespace traced
