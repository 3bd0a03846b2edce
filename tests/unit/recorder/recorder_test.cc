// Tests the whole recorder, in a process of its own per test: the file has all
// records once the process has ended.

#include "recorder/recorder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "support/rows_of.h"
#include "support/temp_dir.h"
#include "support/trace_file.h"

namespace traced {
namespace {

namespace fs = std::filesystem;
using testing::rowCount;

class RecorderTest : public ::testing::Test {
 protected:
  // Runs `body` in a child that ends normally, through exit().
  template <typename Body>
  void inProcess(Body body) {
    const pid_t child = fork();
    if (child == 0) {
      body();
      std::exit(::testing::Test::HasFailure());
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }

  Recorder& start(std::uint32_t rank = 1, std::uint32_t world_size = 4,
                  const std::string& name = "") {
    Options options;
    options.resources_ns = 0;  // the test counts records
    options.directory = dir_.path() + "/traces";
    options.ring_directory = dir_.path();
    ProcessIdentity process;
    process.rank = rank;
    process.world_size = world_size;
    process.rendezvous.start = name;
    return **Recorder::start(options, process);
  }

  static GroupInfo world() {
    GroupInfo info;
    info.name = "0";
    info.desc = "default_pg";
    info.backend = "gloo";
    info.leg = "cpu";
    info.members = {0, 1, 2, 3};
    info.group_rank = 1;
    return info;
  }

  static OpId issue(Recorder& recorder, RecordedGroup& group,
                    std::int64_t elements = 16) {
    CallDescription call(Operation::kAllReduce, group.id());
    call.fields().in_place = true;
    call.addInput(DType::kFloat32, {&elements, 1},
                  static_cast<std::uint64_t>(elements) * 4);
    return recorder.issue(group, call, {}, group.nextCollective(), 0, nowNs());
  }

  // Records one operation from issue to release.
  static void complete(Recorder& recorder, RecordedGroup& group) {
    const OpId op = issue(recorder, group);
    recorder.returned(op, nowNs());
    recorder.done(op, nowNs(), EndSource::kFuture);
    recorder.waited({op, nowNs(), 5, 0, 0, 0, Outcome::kOk, true});
    recorder.released(op);
  }

  std::vector<std::string> traceFiles() const {
    std::vector<std::string> files;
    for (const auto& entry :
         fs::recursive_directory_iterator(dir_.path() + "/traces")) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
    return files;
  }

  std::vector<v1::Payload> trace() const {
    const auto files = traceFiles();
    EXPECT_EQ(files.size(), 1u);
    return testing::decodeTrace(testing::readFile(files.front()));
  }

  bool ringIsLeft() const {
    for (const auto& entry : fs::directory_iterator(dir_.path())) {
      if (entry.path().extension() == ".ring") return true;
    }
    return false;
  }

  testing::TempDir dir_;
};

TEST_F(RecorderTest, EverythingIsInTheFileWhenTheProcessExits) {
  inProcess([&] {
    Recorder& recorder = start();
    auto group = recorder.addGroup(world());
    for (int i = 0; i < 1000; ++i) complete(recorder, *group);
  });
  std::uint64_t rows = 0;
  const auto payloads = trace();
  for (const auto& payload : payloads) {
    rows += rowCount(payload);
    EXPECT_EQ(payload.header().rank(), 1u) << "each chunk names its process";
  }
  EXPECT_EQ(rows, 5000u);
  const v1::Accounts& accounts = payloads.back().accounts();
  EXPECT_EQ(accounts.produced(), 5000u);
  EXPECT_EQ(accounts.stored(), 5000u);
  EXPECT_EQ(accounts.drop_size(), 0);
  EXPECT_TRUE(accounts.closed());
  EXPECT_FALSE(ringIsLeft());
}

// A stack source whose call site the test sets.
class GivenStacks final : public StackSource {
 public:
  std::uint64_t identity() noexcept override { return place; }
  std::string describe() noexcept override {
    ++descriptions;
    if (place == kUnspeakable || place == kTooLong) return "";
    v1::NewStack new_stack;
    v1::Stack& stack = *new_stack.mutable_stack();
    stack.add_frame()->set_line(static_cast<std::uint32_t>(place));
    stack.set_site(1);
    return new_stack.SerializeAsString();
  }

  std::uint64_t cutIdentity() noexcept override {
    return place == kTooLong ? 1000 : 0;
  }
  std::string describeCut() noexcept override {
    ++descriptions;
    v1::NewStack new_stack;
    new_stack.mutable_stack()->add_frame()->set_line(1000);
    new_stack.mutable_stack()->set_site(1);
    return new_stack.SerializeAsString();
  }

  static constexpr std::uint64_t kUnspeakable = 99;
  static constexpr std::uint64_t kTooLong = 98;
  std::uint64_t place = 0;
  int descriptions = 0;
};

TEST_F(RecorderTest, OperationsRecordTheStackOfTheirIssue) {
  const std::uint64_t places[] = {
      0, 120, 7, 120, GivenStacks::kUnspeakable, 7, GivenStacks::kTooLong, 98};
  inProcess([&] {
    GivenStacks stacks;
    Recorder& recorder = start();
    auto group = recorder.addGroup(world());
    setStackSource(&stacks);
    for (const std::uint64_t place : places) {
      stacks.place = place;
      complete(recorder, *group);
    }
    EXPECT_EQ(stacks.descriptions, 6)
        << "one for each that is new, and what is cut is asked for again";
    setStackSource(nullptr);
    complete(recorder, *group);
  });
  std::vector<std::uint32_t> lines;
  for (const auto& payload : trace()) {
    std::map<std::uint32_t, v1::Stack> stacks{{0, {}}};
    for (const auto& stack : payload.stack()) stacks[stack.id()] = stack;
    std::map<std::uint64_t, std::uint32_t> frames;
    for (const auto& frame : payload.frame()) frames[frame.id()] = frame.line();
    for (const auto& row : testing::rowsOf<IssueRow>(payload)) {
      ASSERT_TRUE(stacks.count(row.stack)) << "a chunk defines what it uses";
      const v1::Stack& stack = stacks[row.stack];
      lines.push_back(stack.site() == 1 ? frames.at(stack.frame_id(0)) : 0);
    }
  }
  EXPECT_EQ(lines,
            (std::vector<std::uint32_t>{0, 120, 7, 120, 0, 7, 1000, 1000, 0}));
}

TEST_F(RecorderTest, AChunkDefinesWhatItsRowsUse) {
  inProcess([&] {
    Recorder& recorder = start();
    auto group = recorder.addGroup(world());
    for (int chunk = 0; chunk < 3; ++chunk) {
      complete(recorder, *group);
      EXPECT_TRUE(recorder.flush(std::chrono::seconds(10)));
    }
  });
  int with_rows = 0;
  for (const auto& payload : trace()) {
    if (payload.issued().op_delta_size() == 0) continue;
    ++with_rows;
    ASSERT_EQ(payload.call_size(), 1);
    EXPECT_EQ(payload.call(0).id(), payload.issued().call(0));
    EXPECT_EQ(payload.call(0).bytes_in(), 64u);
    ASSERT_EQ(payload.group_size(), 1);
    EXPECT_EQ(payload.group(0).desc(), "default_pg");
    EXPECT_EQ(payload.group(0).member(0).count(), 4u);
    ASSERT_EQ(payload.thread_size(), 1);
  }
  EXPECT_EQ(with_rows, 3);
}

TEST_F(RecorderTest, FlushMakesRecordsReadableWhileTheProcessRuns) {
  inProcess([&] {
    Recorder& recorder = start();
    auto group = recorder.addGroup(world());
    issue(recorder, *group);
    EXPECT_TRUE(recorder.flush(std::chrono::seconds(10)));
    const auto payloads =
        testing::decodeTrace(testing::readFile(recorder.location()));
    EXPECT_EQ(payloads.back().issued().op_delta_size(), 1);
    EXPECT_FALSE(payloads.back().accounts().closed());
  });
}

TEST_F(RecorderTest, AKilledProcessLeavesItsRing) {
  const pid_t child = fork();
  if (child == 0) {
    Recorder& recorder = start();
    auto group = recorder.addGroup(world());
    EXPECT_TRUE(recorder.flush(std::chrono::seconds(10)));
    issue(recorder, *group);
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(ringIsLeft());
}

TEST_F(RecorderTest, ThreadsLoseNothingAndKeepTheirOrder) {
  constexpr int kThreads = 8;
  constexpr int kEach = 2000;
  inProcess([&] {
    Recorder& recorder = start();
    auto group = recorder.addGroup(world());
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < kEach; ++i) complete(recorder, *group);
      });
    }
    for (std::thread& thread : threads) thread.join();
  });
  std::map<std::uint32_t, std::uint64_t> last_seq;  // per thread
  std::set<std::uint64_t> seqs;
  const auto payloads = trace();
  for (const auto& payload : payloads) {
    for (const IssueRow& row : testing::rowsOf<IssueRow>(payload)) {
      EXPECT_GT(row.seq, last_seq[row.thread]);
      last_seq[row.thread] = row.seq;
      seqs.insert(row.seq);
    }
  }
  const v1::Accounts& accounts = payloads.back().accounts();
  std::uint64_t dropped = 0;
  for (const auto& drop : accounts.drop()) dropped += drop.records();
  EXPECT_EQ(accounts.produced(), accounts.stored() + dropped);
  EXPECT_EQ(accounts.produced(), std::uint64_t{kThreads} * kEach * 5);
  if (dropped == 0) {
    EXPECT_EQ(seqs.size(), std::size_t{kThreads} * kEach);
  }
}

TEST_F(RecorderTest, FailuresCarryTheirMessage) {
  inProcess([&] {
    Recorder& recorder = start();
    auto group = recorder.addGroup(world());
    recorder.threw(issue(recorder, *group), nowNs(), "Connection closed\xFF");
    WaitRecord wait{};
    wait.op = issue(recorder, *group);
    recorder.waitThrew(wait, "timed out");
  });
  std::set<std::string> texts;
  for (const auto& payload : trace()) {
    for (const auto& text : payload.text()) texts.insert(text.text());
    if (payload.returned().op_delta_size() > 0) {
      EXPECT_EQ(payload.returned().outcome(0), 1u);
    }
  }
  EXPECT_EQ(texts, (std::set<std::string>{"Connection closed?", "timed out"}));
}

TEST_F(RecorderTest, AlgorithmAndProtocolHaveTheirNames) {
  inProcess([&] {
    Recorder& recorder = start();
    auto group = recorder.addGroup(world());
    const OpId op = issue(recorder, *group);
    recorder.method(op, "RING", "", 4);
    recorder.method(kLostOp, "TREE", "LL", 1);
  });
  using testing::rowsOf;
  v1::Payload payload;
  for (const v1::Payload& each : trace()) {
    if (each.has_method()) payload = each;
  }
  ASSERT_TRUE(payload.has_method());
  const MethodRow row = rowsOf<MethodRow>(payload).at(0);
  EXPECT_EQ(rowsOf<MethodRow>(payload).size(), 1u);
  EXPECT_EQ(row.op, rowsOf<IssueRow>(payload).at(0).op);
  EXPECT_EQ(row.protocol, 0u);
  EXPECT_EQ(row.channels, 4u);
  ASSERT_GE(payload.text_size(), 1);
  EXPECT_EQ(payload.text(0).text(), "RING");
  EXPECT_EQ(payload.text(0).id(), row.algorithm);
}

TEST_F(RecorderTest, GroupsWithEqualMembersAreNumbered) {
  inProcess([&] {
    Recorder& recorder = start();
    auto first = recorder.addGroup(world());
    auto second = recorder.addGroup(world());
    second->setLabels("1", "dp");
    GroupInfo other = world();
    other.members = {3, 2, 1, 0};
    auto third = recorder.addGroup(other);
  });
  std::map<std::string, std::uint32_t> nth;
  for (const auto& payload : trace()) {
    for (const auto& group : payload.group()) {
      nth[std::to_string(group.id()) + group.desc()] = group.nth();
    }
  }
  EXPECT_EQ(nth, (std::map<std::string, std::uint32_t>{
                     {"1default_pg", 0}, {"2dp", 1}, {"3default_pg", 0}}));
}

TEST_F(RecorderTest, AForkedChildIsOffUntilItStartsItsOwn) {
  inProcess([&] {
    Recorder& recorder = start();
    auto group = recorder.addGroup(world());
    const pid_t child = fork();
    if (child == 0) {
      EXPECT_EQ(Recorder::current(), nullptr);
      Recorder& own = start();
      EXPECT_NE(&own, &recorder);
      auto own_group = own.addGroup(world());
      complete(own, *own_group);
      std::exit(::testing::Test::HasFailure());
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    complete(recorder, *group);
  });
  const auto files = traceFiles();
  ASSERT_EQ(files.size(), 2u);
  for (const auto& file : files) {
    const auto payloads = testing::decodeTrace(testing::readFile(file));
    EXPECT_EQ(payloads.back().accounts().stored(), 5u);
    EXPECT_TRUE(payloads.back().accounts().closed());
  }
}

TEST_F(RecorderTest, AForkedChildWritesNothingIntoItsParentsRing) {
  inProcess([&] {
    Recorder& recorder = start();
    auto group = recorder.addGroup(world());
    const OpId op = issue(recorder, *group);
    const pid_t child = fork();
    if (child == 0) {
      recorder.waited({op, nowNs(), 5, 0, 0, 0, Outcome::kOk, true});
      recorder.released(op);
      group->setLabels("changed", "in the child");
      group.reset();
      _exit(0);
    }
    waitpid(child, nullptr, 0);
    recorder.released(op);
  });
  std::uint64_t rows = 0;
  for (const auto& payload : trace()) {
    rows += rowCount(payload);
    for (const auto& defined : payload.group()) {
      EXPECT_EQ(defined.desc(), "default_pg");
    }
  }
  EXPECT_EQ(rows, 2u);
}

TEST_F(RecorderTest, AnotherRankInTheJobIsAnotherStream) {
  inProcess([&] {
    Recorder& first = start(0, 1);
    EXPECT_EQ(&start(0, 1), &first);
    auto group = first.addGroup(world());
    complete(first, *group);
    Recorder& second = start(2, 4);
    EXPECT_NE(&second, &first);
    EXPECT_EQ(Recorder::current(), &second);
    complete(first, *group);  // a group of the first: ignored
    auto other = second.addGroup(world());
    complete(second, *other);
    complete(second, *other);
  });
  EXPECT_FALSE(ringIsLeft());
  std::map<std::uint32_t, std::uint64_t> rows;
  for (const std::string& file : traceFiles()) {
    const auto payloads = testing::decodeTrace(testing::readFile(file));
    EXPECT_TRUE(payloads.back().accounts().closed());
    for (const auto& payload : payloads) {
      rows[payload.header().rank()] += rowCount(payload);
    }
  }
  EXPECT_EQ(rows, (std::map<std::uint32_t, std::uint64_t>{{0, 5}, {2, 10}}));
}

TEST_F(RecorderTest, AStreamRecordsWhetherItsProcessJoinedSeveralStarts) {
  for (const std::string second : {"a", "b"}) {
    inProcess([&] {
      start(0, 1, "a");
      start(0, 1, second);
    });
    const v1::Payload last = trace().back();
    EXPECT_EQ(last.header().rendezvous().start(), "a");
    EXPECT_EQ(last.accounts().several_starts(), second == "b");
    fs::remove(traceFiles().front());
  }
}

TEST_F(RecorderTest, AProcessMayChangeItsRankDuringCalls) {
  inProcess([&] {
    std::atomic<bool> over{false};
    Recorder* const first = &start(0, 1);
    const std::shared_ptr<RecordedGroup> group = first->addGroup(world());
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&, first, group] {
        while (!over) complete(*first, *group);
      });
    }
    for (std::uint32_t rank = 1; rank < 30; ++rank) {
      Recorder& recorder = start(rank, 40);
      auto own = recorder.addGroup(world());
      complete(recorder, *own);
    }
    over = true;
    for (std::thread& thread : threads) thread.join();
  });
  EXPECT_EQ(traceFiles().size(), 30u);
  EXPECT_FALSE(ringIsLeft());
}

TEST_F(RecorderTest, TruncatesLongGroupNames) {
  inProcess([&] {
    Recorder& recorder = start();
    GroupInfo info = world();
    info.desc = std::string(20'000'000, 'x');
    auto group = recorder.addGroup(info);
    complete(recorder, *group);
  });
  std::uint64_t rows = 0;
  std::string desc;
  for (const auto& payload : trace()) {
    rows += rowCount(payload);
    for (const auto& defined : payload.group()) desc = defined.desc();
  }
  EXPECT_EQ(rows, 5u);
  EXPECT_EQ(desc, std::string(512, 'x') + "... (cut, 20000000 bytes)");
}

TEST_F(RecorderTest, ReportsWhyItCannotRecord) {
  inProcess([&] {
    Options options;
    options.resources_ns = 0;  // the test counts records
    options.directory = "/proc/nowhere";
    const auto recorder = Recorder::start(options, {});
    EXPECT_FALSE(recorder);
    EXPECT_NE(recorder.error().message.find("/proc/nowhere"),
              std::string::npos);
    EXPECT_EQ(Recorder::current(), nullptr);
  });
}

TEST_F(RecorderTest, DropsAreCountedWhenTheRingIsFull) {
  constexpr std::uint64_t kOperations = 200'000;
  inProcess([&] {
    Options options;
    options.resources_ns = 0;  // the test counts records
    options.directory = dir_.path() + "/traces";
    options.ring_directory = dir_.path();
    options.ring_slots = 4096;
    Recorder& recorder = **Recorder::start(options, {});
    auto group = recorder.addGroup(world());
    for (std::uint64_t i = 0; i < kOperations; ++i) complete(recorder, *group);
    for (std::uint64_t i = 0; i < kOperations; ++i) {
      const OpId op = issue(recorder, *group);
      recorder.waited({op, nowNs(), 5, 0, 0, 0, Outcome::kOk, true}, nowNs());
    }
  });
  const auto payloads = trace();
  std::uint64_t rows = 0;
  for (const auto& payload : payloads) rows += rowCount(payload);
  const v1::Accounts& accounts = payloads.back().accounts();
  std::uint64_t dropped = 0;
  for (const auto& drop : accounts.drop()) dropped += drop.records();
  EXPECT_GT(dropped, 0u);
  EXPECT_EQ(accounts.stored(), rows);
  EXPECT_EQ(accounts.produced(), kOperations * (5 + 3));
  EXPECT_EQ(accounts.produced(), rows + dropped);
}

}  // namespace
}  // namespace traced
