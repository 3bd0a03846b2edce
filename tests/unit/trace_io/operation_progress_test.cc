// Tests the state that records of an operation lead to, for every follower: all
// get the same random records, and their states are compared.

#include "trace_io/operation_progress.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/job/held_time.h"
#include "analysis/live/live_stream.h"
#include "analysis/reading/stream_assembler.h"
#include "analysis/stream/operation_kinds.h"
#include "recorder/metrics/operation_sums.h"
#include "recorder/watch/hang_watch.h"
#include "ring_io/chunks/encode_definitions.h"
#include "ring_io/chunks/record_rows.h"
#include "ring_io/ring/group_info.h"
#include "support/filled_ring.h"
#include "support/record_calls.h"
#include "support/test_seed.h"

namespace traced {
namespace {

using State = HangReport::State;

constexpr std::uint64_t kSlots = 4096;
constexpr std::int64_t kLimitNs = 15'000'000'000;
constexpr std::uint32_t kGroups = 9;
const char* const kBackends[] = {"gloo", "nccl", "another"};

bool isOnHost(std::uint32_t group) { return group % 3 == 0; }

class Followers {
 public:
  Followers()
      : builder_(v1::Header()),
        names_(v1::Header()),
        assembler_(v1::Header()),
        live_(v1::Header()),
        sums_(builder_),
        hangs_(builder_) {
    memory_.reset(static_cast<char*>(
        std::aligned_alloc(kSlotBytes, Ring::bytesFor(kSlots))));
    std::memset(memory_.get(), 0, Ring::bytesFor(kSlots));
    ring_ = std::make_unique<Ring>(memory_.get(), kSlots);
    hangs_.setLimit(kLimitNs);
  }

 private:
  std::uint64_t draw(std::uint64_t below) { return random_() % below; }

  void defineAll() {
    for (std::uint32_t group = 0; group < kGroups; ++group) {
      GroupInfo info = testing::worldOfTwo();
      info.backend = kBackends[group % 3];
      testing::define(*ring_, RecordKind::kDefineGroup, group + 1,
                      encodeGroup(group + 1, info, 0));
      for (const Operation operation :
           {Operation::kAllReduce, Operation::kRecv, Operation::kCoalesced}) {
        for (std::uint8_t async = 0; async < 3; ++async) {
          CallDescription call(operation, group + 1);
          call.fields().async_plus_1 = async;
          call.fields().graph_plus_1 = draw(20) == 0;
          call.fields().bytes_in = draw(1000);
          calls_.push_back(group);
          const auto id = static_cast<std::uint32_t>(calls_.size());
          ring_->pushDefinition(RecordKind::kDefineCall, {id, kUntilRetired},
                                call.bytes(), call.byteSize());
        }
      }
    }
    read();
    v1::Payload definitions = names_.close({}, {});
    live_.define(definitions);
  }

  Outcome outcome() {
    return draw(12) > 0 ? Outcome::kOk : static_cast<Outcome>(1 + draw(2));
  }
  std::int64_t instant() {
    return now_ns_ - 30 + static_cast<std::int64_t>(draw(60));
  }

  // Issues an operation. Returns the later records of it, in their order.
  std::vector<std::function<void()>> issue() {
    const auto call = static_cast<std::uint32_t>(draw(calls_.size()));
    const bool on_host = isOnHost(calls_[call]);
    const OpId op = ring_->push(
        RecordKind::kIssue,
        IssueRecord{now_ns_, ++seq_, draw(6) == 0 ? 1 + draw(5) : 0, call + 1,
                    0, static_cast<std::uint32_t>(draw(4))});
    const std::uint64_t end_count = draw(on_host ? 3 : 2);
    // The watch no longer follows a failed operation and ignores its later
    // report.
    const auto outcomeBeforeEnd = [=, this] {
      return on_host || end_count == 0 ? outcome() : Outcome::kOk;
    };
    std::vector<std::function<void()>> later;
    const auto waits = [=, this] {
      ring_->push(RecordKind::kWait,
                  WaitRecord{op, instant(), draw(50), draw(3) * 7, 0,
                             static_cast<std::uint32_t>(draw(3)),
                             outcomeBeforeEnd(), on_host && draw(2) > 0});
    };
    const auto ends = [=, this] {
      static constexpr EndSource kOfHost[] = {EndSource::kHostCall,
                                              EndSource::kFuture};
      static constexpr EndSource kOfDevice[] = {EndSource::kDeviceEvent,
                                                EndSource::kCompletionHook,
                                                EndSource::kDeviceWait};
      ring_->push(RecordKind::kDone,
                  DoneRecord{op, instant(), draw(3) * 11, 0,
                             on_host ? kOfHost[draw(2)] : kOfDevice[draw(3)],
                             outcome()});
    };
    if (on_host && draw(4) == 0) {
      later.push_back([=, this] {
        ring_->push(RecordKind::kReturnAndWait,
                    ReturnAndWaitRecord{op, instant(), instant(), draw(50), 0,
                                        0, outcome(), draw(2) > 0});
      });
    } else if (draw(8) > 0) {
      later.push_back([=, this] {
        const Outcome how = outcomeBeforeEnd();
        ring_->push(RecordKind::kReturn, ReturnRecord{op, instant(), 0, how});
      });
    }
    for (std::uint64_t i = draw(3); i > 0; --i) later.push_back(waits);
    for (std::uint64_t i = 0; i < end_count; ++i) {
      later.push_back(ends);
    }
    if (draw(3) == 0) {
      later.push_back([=, this] {
        ring_->push(RecordKind::kRelease, ReleaseRecord{op, instant()});
      });
    }
    std::shuffle(later.begin(), later.end(), random_);
    return later;
  }

  void read() {
    Ring::Record record;
    while (ring_->read(record)) {
      builder_.add(record);
      sums_.update(record);
      hangs_.update(record);
      if (rowsOf(record.kind) == 0) names_.add(record);
      forEachRow(record, [this](const auto& row) { live_.add(row); });
    }
    ring_->release();
  }
  void closeChunk() {
    v1::Payload payload = builder_.close({now_ns_, 0, 0}, {});
    assembler_.add(payload);
    builder_.clear();
  }

  void record(int operations) {
    defineAll();
    std::vector<std::vector<std::function<void()>>> open;
    while (operations > 0 || !open.empty()) {
      now_ns_ += 1 + static_cast<std::int64_t>(draw(20));
      if (operations > 0 && (open.empty() || draw(3) == 0)) {
        --operations;
        open.push_back(issue());
      } else {
        auto& later = open[draw(open.size())];
        if (!later.empty()) later.back()(), later.pop_back();
        std::erase_if(open, [](const auto& each) { return each.empty(); });
      }
      read();
      if (draw(40) == 0) closeChunk();
    }
    closeChunk();
  }

  static auto stateOf(const AssembledOperation& op) {
    return std::tuple(op.id, op.seq, op.batch, op.issued.ns(), op.returned.ns(),
                      op.started.ns(), op.ended.ns(), op.wait_began.ns(),
                      op.wait_ended.ns(), op.released.ns(), op.stall_ns_plus_1,
                      op.source_rank_plus_1, op.end_source, op.failed);
  }
  static auto statesOf(const StreamTable& table) {
    std::vector<decltype(stateOf(table.operations[0]))> states;
    for (const auto& op : table.operations) states.push_back(stateOf(op));
    return states;
  }

  // Returns what the watch should report: in each group the first operation
  // that hangs, and the first that may.
  std::vector<std::pair<OpId, State>> expectedHangs() const {
    const StreamTable& table = live_.table();
    std::vector<std::pair<OpId, State>> hangs;
    std::set<std::pair<std::uint32_t, State>> seen;
    live_.forEachInFlight([&](const AssembledOperation& op) {
      const v1::Call& call = *table.callOf(op);
      const EndShownBy shown =
          endShownBy(call, table.engineOf(call), op.batch > 0);
      if (shown == EndShownBy::kNothing) return;
      const bool at_once = shown == EndShownBy::kWait && waitsAtOnce(call);
      const bool may_hang =
          op.returned.known() && shown == EndShownBy::kWait && !at_once;
      const State state = may_hang ? State::kUndecided : State::kUnfinished;
      if (seen.emplace(call.group(), state).second) {
        hangs.emplace_back(op.id, state);
      }
    });
    return hangs;
  }

  void expectSums(const RankFigures& figures, const StreamTable& table) {
    RankFigures sums;
    const Batches batches(table);
    const auto add = [](std::uint64_t& sum, std::optional<std::uint64_t> ns) {
      sum += ns.value_or(0);
    };
    for (const AssembledOperation& op : table.operations) {
      ++sums.operations;
      sums.failed += op.state() == OperationState::kFailed;
      add(sums.own_call_ns, between(op.issued, op.returned));
      if (!op.failed) {
        add(sums.completion_ns, between(op.issued, op.ended));
        add(sums.exposed_wait_ns, op.exposedNs());
      }
    }
    std::vector<OpId> oldest;
    live_.forEachInFlight([&](const AssembledOperation& op) {
      ++sums.in_flight;
      if (oldest.size() < RankFigures::kMaxReported) oldest.push_back(op.id);
    });
    std::vector<OpId> ids;
    for (const OperationSummary& op : figures.oldest) ids.push_back(op.op);
    EXPECT_EQ(ids, oldest);
    const auto all = [](const RankFigures& f) {
      return std::tuple(f.operations, f.failed, f.own_call_ns, f.completion_ns,
                        f.exposed_wait_ns, f.in_flight);
    };
    EXPECT_EQ(all(figures), all(sums));
    EXPECT_EQ(figures.may_have_more_in_flight, live_.mayHaveMoreInFlight());
  }

 public:
  void compareAll(std::uint64_t seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    random_.seed(seed);
    record(150);
    const std::int64_t at_ns = now_ns_ + 2 * kLimitNs;
    const StreamTable table = std::move(assembler_).finish();
    EXPECT_EQ(statesOf(table), statesOf(live_.table()));
    expectSums(sums_.figures(at_ns), table);
    std::vector<std::pair<OpId, State>> hangs;
    for (const HangReport& report : hangs_.take(at_ns)) {
      hangs.emplace_back(report.op, report.state);
    }
    EXPECT_EQ(hangs, expectedHangs());
  }

 private:
  struct Free {
    void operator()(char* p) const { std::free(p); }
  };
  std::unique_ptr<char, Free> memory_;
  std::unique_ptr<Ring> ring_;
  ChunkBuilder builder_;
  // Contains definitions only.
  ChunkBuilder names_;
  StreamAssembler assembler_;
  LiveStream live_;
  OperationSums sums_;
  HangWatch hangs_;
  std::mt19937_64 random_;
  // The group of each call.
  std::vector<std::uint32_t> calls_;
  std::int64_t now_ns_ = 1000;
  std::uint64_t seq_ = 0;
};

TEST(OperationProgress, IsTheSameForEveryFollower) {
  const std::uint64_t first = testing::testSeed();
  std::cout << "seeds from " << first << "\n";
  for (std::uint64_t seed = first; seed < first + 200; ++seed) {
    Followers().compareAll(seed);
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace traced
