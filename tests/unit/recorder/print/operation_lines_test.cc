// Tests the line of an operation: every field, on the ranks that share it.

#include "recorder/print/operation_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "recorder/print/line_output.h"
#include "ring_io/chunks/encode_definitions.h"
#include "support/filled_ring.h"

namespace traced {
namespace {

using Json = nlohmann::json;

struct FreeMemory {
  void operator()(char* memory) const { std::free(memory); }
};

// Builds one rank, with the group {4, 2, 7}.
class Rank {
 public:
  static constexpr std::uint64_t kSlots = 8192;

  explicit Rank(std::uint32_t group_rank, PrintMode mode = PrintMode::kAll,
                OperationLines::SourceLine source_line = {},
                std::vector<std::uint32_t> members = {4, 2, 7})
      : memory_(static_cast<char*>(
            std::aligned_alloc(kSlotBytes, Ring::bytesFor(kSlots)))),
        builder_(v1::Header()) {
    std::memset(memory_.get(), 0, Ring::bytesFor(kSlots));
    ring_ = std::make_unique<Ring>(memory_.get(), kSlots);
    GroupInfo info;
    info.name = "0";
    info.desc = "d\"p";
    info.leg = "cpu";
    info.members = std::move(members);
    info.group_rank = group_rank;
    header_.set_rank(info.members[group_rank]);
    (*header_.mutable_labels())["vm_id"] = "v1";
    testing::define(*ring_, RecordKind::kDefineGroup, 1,
                    encodeGroup(1, info, 0));
    lines_ = std::make_unique<OperationLines>(mode, builder_, header_,
                                              std::move(source_line));
  }

  CallDescription call(Operation op) {
    CallDescription call(op, 1);
    call.fields().device = DeviceType::kCuda;
    call.fields().device_index = 3;
    return call;
  }

  std::string issue(const CallDescription& call, std::uint64_t seq,
                    std::uint64_t batch = 0) {
    ring_->pushDefinition(RecordKind::kDefineCall, {++calls_, kNotCached},
                          call.bytes(), call.byteSize());
    ring_->push(RecordKind::kIssue, IssueRecord{0, seq, batch, calls_, 0, 1});
    ring_->push(RecordKind::kReturn, ReturnRecord{1, 1, 0, Outcome::kOk});
    std::string all;
    Ring::Record record;
    while (ring_->read(record)) {
      builder_.add(record);
      all += lines_->lineOf(record);
    }
    return all;
  }

 private:
  std::unique_ptr<char, FreeMemory> memory_;
  std::unique_ptr<Ring> ring_;
  v1::Header header_;
  ChunkBuilder builder_;
  std::unique_ptr<OperationLines> lines_;
  std::uint32_t calls_ = 0;
};

TEST(OperationLinesTest, LineContainsEveryKnownField) {
  Rank rank(1);
  CallDescription call = rank.call(Operation::kScatter);
  call.fields().bytes_out = 100;
  call.fields().root = 2;
  call.fields().root_global = 7;
  const Json line = Json::parse(rank.issue(call, 5, 9));
  EXPECT_EQ(line["traced"], "operation");
  EXPECT_EQ(line["name"], "scatter");
  EXPECT_EQ(line["rank"], 2);
  EXPECT_EQ(line["group"], "d\"p");
  EXPECT_EQ(line["group_size"], 3);
  EXPECT_EQ(line["group_ranks"], Json({4, 2, 7}));
  EXPECT_EQ(line["root_rank"], 7);
  EXPECT_EQ(line["message_size"], 300);
  EXPECT_EQ(line["message_size_for_others"], 200);
  EXPECT_EQ(line["device"], "cuda:3");
  EXPECT_EQ(line["labels"], Json({{"vm_id", "v1"}}));
  EXPECT_EQ(line["batch"], 9);
  EXPECT_EQ(line["seq"], 5);
  EXPECT_THAT(line["time"].get<std::string>(),
              ::testing::MatchesRegex("....-..-..T..:..:..\\..........Z"));
  for (const char* unknown : {"peer_rank", "source_line", "captured", "cut"}) {
    EXPECT_FALSE(line.contains(unknown)) << unknown;
  }
}

TEST(OperationLinesTest, OperationsOfOtherRanksHaveNoLine) {
  Rank rank(0);
  CallDescription simulated = rank.call(Operation::kAllReduce);
  simulated.fields().simulated = true;
  EXPECT_EQ(rank.issue(simulated, 1), "");
  const Json barrier =
      Json::parse(rank.issue(rank.call(Operation::kBarrier), 2));
  EXPECT_FALSE(barrier.contains("message_size"));
}

TEST(OperationLinesTest, RanksThatShareAnOperationShareItsCorrelationId) {
  const auto id = [](std::uint32_t group_rank, Operation op, std::int32_t peer,
                     std::uint64_t seq) {
    constexpr std::int32_t kGlobal[] = {4, 2, 7};
    Rank rank(group_rank);
    CallDescription call = rank.call(op);
    if (peer >= 0) call.fields().peer_global = kGlobal[peer];
    const Json line = Json::parse(rank.issue(call, seq));
    return line.value("correlation_id", "none");
  };
  EXPECT_EQ(id(0, Operation::kAllReduce, -1, 3),
            id(2, Operation::kAllReduce, -1, 3));
  EXPECT_NE(id(0, Operation::kAllReduce, -1, 3),
            id(0, Operation::kAllReduce, -1, 4));
  EXPECT_EQ(id(0, Operation::kSend, 2, 3), id(2, Operation::kRecv, 0, 3));
  EXPECT_NE(id(0, Operation::kSend, 2, 3), id(2, Operation::kSend, 0, 3));
  EXPECT_EQ(id(0, Operation::kRecv, -1, 0), "none") << "from any source";
}

TEST(OperationLinesTest, OneRankLeadsEachOperation) {
  const auto printed = [](PrintMode mode, Operation op, std::int32_t root) {
    std::vector<std::uint32_t> ranks;
    for (const std::uint32_t group_rank : {0u, 1u, 2u}) {
      Rank rank(group_rank, mode, {}, {4, 2, 0});
      CallDescription call = rank.call(op);
      call.fields().root = root;
      if (!rank.issue(call, 1).empty()) ranks.push_back(group_rank);
    }
    return ranks;
  };
  using Members = std::vector<std::uint32_t>;
  EXPECT_EQ(printed(PrintMode::kAll, Operation::kReduce, 1),
            (Members{0, 1, 2}));
  EXPECT_EQ(printed(PrintMode::kLeader, Operation::kReduce, 1), (Members{1}));
  EXPECT_EQ(printed(PrintMode::kLeader, Operation::kAllReduce, -1),
            (Members{0}));
  EXPECT_EQ(printed(PrintMode::kLeader, Operation::kSend, -1),
            (Members{0, 1, 2}));
  EXPECT_EQ(printed(PrintMode::kLeader, Operation::kRecv, -1), (Members{}));
  EXPECT_EQ(printed(PrintMode::kFirstRank, Operation::kReduce, 1), (Members{2}))
      << "global rank 0";
}

TEST(OperationLinesTest, SourceLineComesFromTheCallback) {
  Rank rank(0, PrintMode::kAll, [](const IssueRecord& issue) {
    return issue.seq == 1 ? std::string("a\"b.py:12") : std::string();
  });
  const Json known =
      Json::parse(rank.issue(rank.call(Operation::kAllReduce), 1));
  EXPECT_EQ(known["source_line"], "a\"b.py:12");
  const Json unknown =
      Json::parse(rank.issue(rank.call(Operation::kAllReduce), 2));
  EXPECT_FALSE(unknown.contains("source_line"));
}

TEST(OperationLinesTest, ALineFitsInAPipeHoweverLargeTheGroup) {
  for (const std::uint32_t size : {900u, 20'000u}) {
    std::vector<std::uint32_t> members(size);
    for (std::uint32_t i = 0; i < size; ++i) members[i] = 100'000 + i;
    Rank rank(0, PrintMode::kAll, {}, std::move(members));
    const std::string text = rank.issue(rank.call(Operation::kAllReduce), 1);
    EXPECT_LT(text.size(), LineOutput::kMaxLineBytes);
    const Json line = Json::parse(text);
    EXPECT_EQ(line["group_size"], size);
    EXPECT_EQ(line["cut"], true);
    EXPECT_FALSE(line.contains("group_ranks"));
    EXPECT_TRUE(line.contains("labels"));
  }
}

}  // namespace
}  // namespace traced
