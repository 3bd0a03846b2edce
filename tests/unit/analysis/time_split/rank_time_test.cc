// Tests that the time of a rank is divided without gaps and overlaps.

#include "analysis/time_split/rank_time.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace traced {
namespace {

constexpr std::int64_t kEndNs = 400;

struct Planted {
  AssembledOperation op;
  ReadyTime ready;
  OperationSplit split;
  bool unseen = false;

  std::int64_t readyNs() const { return ready.at.ns(); }
  std::int64_t allReadyNs() const {
    return readyNs() + split.wait_for_peers->ns;
  }
};

bool isWithin(Instant begin, Instant end, std::int64_t ns) {
  return begin.known() && end.known() && begin.ns() <= ns && ns < end.ns();
}

// Returns the field of the breakdown that counts an instant.
std::uint64_t TimeBreakdown::*fieldAt(const std::vector<Planted>& operations,
                                      std::int64_t ns) {
  const auto any = [&](auto holds) {
    return std::any_of(operations.begin(), operations.end(), holds);
  };
  const auto isBlocked = [ns](const Planted& one) {
    return isWithin(one.op.wait_began, one.op.wait_ended, ns);
  };
  const auto isDecided = [](const Planted& one) {
    return one.split.wait_for_peers.has_value();
  };
  if (any([&](const Planted& one) {
        return isBlocked(one) && isDecided(one) && ns < one.allReadyNs();
      })) {
    return &TimeBreakdown::exposed_wait_for_peers_ns;
  }
  if (any([&](const Planted& one) {
        return isBlocked(one) && isDecided(one) && one.split.transfer;
      })) {
    return &TimeBreakdown::exposed_transfer_ns;
  }
  if (any(isBlocked)) return &TimeBreakdown::undecided_ns;
  if (any([&](const Planted& one) {
        return isWithin(one.op.issued, one.op.returned, ns);
      })) {
    return &TimeBreakdown::calls_ns;
  }
  if (any([&](const Planted& one) {
        return one.unseen && isWithin(one.op.returned, one.op.ended, ns);
      })) {
    return &TimeBreakdown::may_wait_ns;
  }
  if (any([&](const Planted& one) {
        return isWithin(one.ready.at, one.op.ended, ns);
      })) {
    return &TimeBreakdown::hidden_ns;
  }
  return &TimeBreakdown::computing_ns;
}

class RandomOperations {
 public:
  explicit RandomOperations(unsigned seed) : random_(seed) {}

  Planted make(std::uint64_t id) {
    Planted one;
    one.op.id = id;
    std::int64_t ns = below(kEndNs / 2);
    one.op.issued = Instant(ns);
    one.op.returned = Instant(ns += below(10));
    one.ready.at = Instant(one.op.issued.ns() + below(30));
    one.op.ended = Instant(one.readyNs() + below(60));
    one.unseen = below(3) == 0;
    // After its return an operation that had ended is not waited for.
    if (one.op.ended.ns() <= one.op.returned.ns()) {
      one.op.ended = Instant(one.op.returned.ns() + 1);
    }
    if (!one.unseen) {
      one.op.wait_began = Instant(ns += below(20));
      one.op.wait_ended = Instant(ns + below(60));
    }
    if (below(4) > 0) {
      one.split.wait_for_peers = CertifiedTime{below(40), 0, 40};
    }
    if (below(4) > 0) one.split.transfer = CertifiedTime{};
    return one;
  }
  std::int64_t below(std::int64_t limit) {
    return std::uniform_int_distribution<std::int64_t>(0, limit - 1)(random_);
  }

 private:
  std::mt19937 random_;
};

// Compares with a division of each nanosecond by itself.
TEST(RankTimeTest, EachInstantCountsOnce) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomOperations random(seed);
  for (int round = 0; round < 200; ++round) {
    StreamTable table;
    table.last = Instant(kEndNs);
    table.closed = true;
    std::vector<Planted> operations;
    std::vector<ReadyTime> ready;
    for (std::int64_t i = random.below(8); i >= 0; --i) {
      operations.push_back(random.make(operations.size() + 1));
      table.operations.push_back(operations.back().op);
      ready.push_back(operations.back().ready);
    }
    RankTime time(table, &ready);
    for (std::size_t i = 0; i < operations.size(); ++i) {
      time.add(i, operations[i].split, operations[i].unseen);
    }
    time.finish();
    const std::int64_t cut_ns = 1 + random.below(kEndNs - 1);
    const std::vector<TimeWindow> windows = {{0, cut_ns}, {cut_ns, kEndNs}};
    const std::vector<TimeBreakdown> found = time.over(windows);
    ASSERT_EQ(found.size(), 2u);
    for (std::size_t i = 0; i < windows.size(); ++i) {
      TimeBreakdown expected;
      for (std::int64_t ns = windows[i].begin_ns; ns < windows[i].end_ns;
           ++ns) {
        ++(expected.*fieldAt(operations, ns));
      }
      EXPECT_EQ(found[i].exposed_wait_for_peers_ns,
                expected.exposed_wait_for_peers_ns);
      EXPECT_EQ(found[i].exposed_transfer_ns, expected.exposed_transfer_ns);
      EXPECT_EQ(found[i].undecided_ns, expected.undecided_ns);
      EXPECT_EQ(found[i].calls_ns, expected.calls_ns);
      EXPECT_EQ(found[i].may_wait_ns, expected.may_wait_ns);
      EXPECT_EQ(found[i].hidden_ns, expected.hidden_ns);
      EXPECT_EQ(found[i].computing_ns, expected.computing_ns);
      EXPECT_EQ(found[i].totalNs(), lengthOf(windows[i]));
    }
  }
}

}  // namespace
}  // namespace traced
