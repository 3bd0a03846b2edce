// Tests messages of several tags in any order. Gloo keeps the order within a
// tag only. TEST_SEED=N runs another seed.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "support/test_seed.h"
#include "unit/analysis/diagnosis/diagnosed.h"

namespace traced::testing {
namespace {

constexpr int kRounds = 150;

// The tags that rank 0 sends to rank 1 and that rank 1 receives, in order.
struct Exchange {
  std::vector<std::int32_t> sends;
  std::vector<std::int32_t> receives;
};

class TagsAtRandomTest : public ::testing::Test {
 protected:
  TagsAtRandomTest() : random_(testSeed()) {}

  std::uint32_t upTo(std::uint32_t most) { return random_() % (most + 1); }

  Exchange whole() {
    Exchange exchange;
    const std::uint32_t tags = upTo(3);
    for (std::uint32_t i = 1 + upTo(30); i > 0; --i) {
      exchange.sends.push_back(static_cast<std::int32_t>(upTo(tags)));
    }
    exchange.receives = exchange.sends;
    // One round in three nearly follows the order of the sends.
    if (upTo(2) == 0) {
      const std::size_t last = exchange.receives.size() - 1;
      std::swap(exchange.receives[upTo(last)], exchange.receives[upTo(last)]);
    } else {
      std::shuffle(exchange.receives.begin(), exchange.receives.end(), random_);
    }
    return exchange;
  }

  // Removes up to three tags of one side. At least one tag remains.
  void leaveOutSome(std::vector<std::int32_t>& tags) {
    for (std::uint32_t i = 1 + upTo(2); i > 0 && tags.size() > 1; --i) {
      tags.erase(tags.begin() +
                 upTo(static_cast<std::uint32_t>(tags.size() - 1)));
    }
  }

  // Neither rank recorded more than a prefix.
  void cut(Exchange& exchange) {
    exchange.sends.resize(upTo(exchange.sends.size()));
    exchange.receives.resize(upTo(exchange.receives.size()));
  }

  static Diagnosis diagnosed(const Exchange& exchange, Ending ending) {
    JobBuilder job(2);
    for (std::uint32_t r = 0; r < 2; ++r) {
      RankBuilder& rank = job.rank(r);
      std::map<std::int32_t, std::uint32_t> calls;
      std::int64_t at_ms = 0;
      for (const auto tag : r == 0 ? exchange.sends : exchange.receives) {
        std::uint32_t& call = calls[tag];
        const std::uint64_t bytes = 64U << tag;
        if (call == 0) {
          call = rank.addMessage(r == 0, 1, 1 - r, bytes, tag).id();
        }
        rank.end(call, at_ms += 10);
      }
    }
    return diagnoseJob(job, ending);
  }

  // Returns the number of the first message of one side that the other side
  // lacks.
  static std::uint64_t firstLone(const std::vector<std::int32_t>& side,
                                 const std::vector<std::int32_t>& other) {
    std::map<std::int32_t, std::size_t> left;
    for (const std::int32_t tag : other) ++left[tag];
    for (std::size_t i = 0; i < side.size(); ++i) {
      std::size_t& of_tag = left[side[i]];
      if (of_tag == 0) return i + 1;
      --of_tag;
    }
    return 0;
  }

  void expectLone(const Exchange& exchange, std::uint64_t number) {
    if (number == 0) return;
    SCOPED_TRACE(textOfExchange(exchange));
    const Diagnosis diagnosis = diagnosed(exchange, Ending::kClosed);
    expectVerdict(diagnosis, VerdictKind::kP2pUnpaired, {0, 1});
    ASSERT_FALSE(diagnosis.verdicts.empty());
    EXPECT_EQ(diagnosis.verdicts[0].seq, number);
  }

  static std::string textOfExchange(const Exchange& exchange) {
    std::string text = "TEST_SEED=" + std::to_string(testSeed()) + ", sent";
    for (const auto tag : exchange.sends) text += " " + std::to_string(tag);
    text += ", received";
    for (const auto tag : exchange.receives) text += " " + std::to_string(tag);
    return text;
  }

 private:
  std::mt19937 random_;
};

TEST_F(TagsAtRandomTest, PairedMessagesAreNoFinding) {
  for (int round = 0; round < kRounds; ++round) {
    const Exchange exchange = whole();
    SCOPED_TRACE(textOfExchange(exchange));
    expectHealthy(diagnosed(exchange, Ending::kClosed));
  }
}

TEST_F(TagsAtRandomTest, APrefixOfPairedMessagesIsNoFinding) {
  for (int round = 0; round < kRounds; ++round) {
    Exchange exchange = whole();
    cut(exchange);
    SCOPED_TRACE(textOfExchange(exchange));
    expectHealthy(diagnosed(exchange, Ending::kCut));
  }
}

TEST_F(TagsAtRandomTest, TheFirstThatIsNotReceivedIsReported) {
  for (int round = 0; round < kRounds; ++round) {
    Exchange exchange = whole();
    leaveOutSome(exchange.receives);
    expectLone(exchange, firstLone(exchange.sends, exchange.receives));
  }
}

TEST_F(TagsAtRandomTest, TheFirstThatIsNotSentIsReported) {
  for (int round = 0; round < kRounds; ++round) {
    Exchange exchange = whole();
    leaveOutSome(exchange.sends);
    expectLone(exchange, firstLone(exchange.receives, exchange.sends));
  }
}

}  // namespace
}  // namespace traced::testing
