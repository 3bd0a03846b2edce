// Tests C++ stacks from the caller to the trace, of a process that ends and of
// one that is killed.

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "recorder/stacks/cpp_stack.h"
#include "support/rows_of.h"
#include "support/trace_file.h"
#include "unit/ring_io/recovery/recover_fixture.h"

namespace traced::testing {
namespace {

using ::testing::Each;
using ::testing::Not;

class CppSource final : public StackSource {
 public:
  std::uint64_t identity() noexcept override { return cppStackHere().hash; }
  std::string describe() noexcept override {
    v1::NewStack new_stack;
    describeCppStack(cppStackHere(), nullptr, new_stack);
    return new_stack.SerializeAsString();
  }
};

class CppStacksRecordedTest : public RecoverTest {
 protected:
  CppStacksRecordedTest() { options_.cpp_stacks = true; }

  std::vector<v1::Payload> payloads() const {
    return decodeTrace(readFile(traceFile()));
  }

  // Runs `body` in a child that ends normally, through exit().
  template <typename Body>
  static void inProcess(Body body) {
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

  // Chunks with rows must define everything that these rows reference.
  static void expectComplete(const std::vector<v1::Payload>& payloads) {
    std::uint64_t calls = 0;
    for (const v1::Payload& payload : payloads) {
      std::map<std::uint32_t, v1::Stack> stacks;
      std::set<std::uint64_t> code;
      for (const auto& stack : payload.stack()) stacks[stack.id()] = stack;
      for (const auto& call : payload.code()) code.insert(call.id());
      for (const auto& row : rowsOf<IssueRow>(payload)) {
        ASSERT_EQ(stacks.count(row.stack), 1u);
        for (const std::uint64_t id : stacks[row.stack].cpp()) {
          EXPECT_EQ(code.count(id), 1u);
          ++calls;
        }
      }
    }
    EXPECT_GT(calls, 5u);
  }

  // Returns what all chunks together define for each code address.
  static std::map<std::uint64_t, v1::Code> codeIn(
      const std::vector<v1::Payload>& payloads) {
    std::map<std::uint64_t, v1::Code> all;
    for (const v1::Payload& payload : payloads) {
      for (const v1::Code& code : payload.code()) {
        if (all[code.id()].function().empty()) all[code.id()] = code;
      }
    }
    return all;
  }

  static bool anyNamed(const std::map<std::uint64_t, v1::Code>& all) {
    return std::any_of(all.begin(), all.end(), [](const auto& known) {
      return known.second.function() == "__libc_start_main";
    });
  }

  CppSource source_;
};

TEST_F(CppStacksRecordedTest, AreNamedWhenTheProcessEnds) {
  inProcess([&] {
    Recorder& recorder = start();
    auto group = recorder.addGroup(worldOfTwo());
    setStackSource(&source_);
    for (std::uint64_t seq = 1; seq <= 3; ++seq) {
      completeCall(recorder, *group, seq);
      recorder.flush(kFlushLimit);
    }
    setStackSource(nullptr);
  });
  const auto trace = payloads();
  expectComplete(trace);
  EXPECT_TRUE(anyNamed(codeIn(trace)));
}

TEST_F(CppStacksRecordedTest, KilledProcessKeepsTheNamesInItsFile) {
  inKilledProcess([&] {
    Recorder& recorder = start();
    auto group = recorder.addGroup(worldOfTwo());
    setStackSource(&source_);
    completeCall(recorder, *group, 1);
    // A thread of its own looks up names.
    const auto deadline = std::chrono::steady_clock::now() + kFlushLimit;
    while (!anyNamed(codeIn(payloads())) &&
           std::chrono::steady_clock::now() < deadline) {
      recorder.flush(kFlushLimit);
    }
    completeCall(recorder, *group, 2);
  });
  for (const auto& segment : recover()) {
    EXPECT_EQ(segment.outcome, RecoverOutcome::kRecovered) << segment.why;
  }
  const auto trace = payloads();
  expectComplete(trace);
  EXPECT_TRUE(anyNamed(codeIn(trace)));
}

TEST_F(CppStacksRecordedTest, KilledProcessHasAtLeastTheBinariesOfItsCode) {
  inKilledProcess([&] {
    Recorder& recorder = start();
    auto group = recorder.addGroup(worldOfTwo());
    recorder.flush(kFlushLimit);
    setStackSource(&source_);
    completeCall(recorder, *group, 1);
  });
  for (const auto& segment : recover()) {
    EXPECT_EQ(segment.outcome, RecoverOutcome::kRecovered) << segment.why;
  }
  const auto trace = payloads();
  expectComplete(trace);
  std::vector<std::string> binaries;
  for (const auto& [id, code] : codeIn(trace)) {
    binaries.push_back(code.binary());
    EXPECT_GT(code.offset(), 0u);
  }
  EXPECT_THAT(binaries, Each(Not("")));
}

}  // namespace
}  // namespace traced::testing
