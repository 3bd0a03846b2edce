// Tests a ring whose file is truncated during use, and other causes of SIGBUS.

#include "ring_io/ring/ring_guard.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>

#include "ring_io/ring/ring.h"
#include "ring_io/ring/segment.h"
#include "unit/ring_io/recovery/recover_fixture.h"

namespace traced::testing {
namespace {

constexpr int kJobsOwn = 7;

class RingGuardTest : public RecoverTest {
 protected:
  // Returns the exit status of a process that calls `body`.
  static int statusOf(const std::function<void()>& body) {
    const pid_t child = fork();
    if (child == 0) {
      signal(SIGBUS, SIG_DFL);  // AddressSanitizer has a handler
      body();
      std::_Exit(HasFailure());
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
  }

  std::unique_ptr<Segment> segment() const {
    return Segment::create(dir_.path(), 7, 4096, "info");
  }

  // Returns mapped memory beyond the end of its file.
  char* beyondAFile() const {
    const std::string path = dir_.path() + "/empty";
    const int fd = open(path.c_str(), O_CREAT | O_RDWR, 0600);
    return static_cast<char*>(
        mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
  }
};

TEST_F(RingGuardTest, ATruncatedRingIsFullFromThenOn) {
  for (const off_t left : {0, 4096, 65536}) {
    const int status = statusOf([&] {
      const auto segment = this->segment();
      Ring ring(segment->ringMemory(), segment->slots());
      ring.push(RecordKind::kRelease, ReleaseRecord{1, 2});
      EXPECT_FALSE(segment->isLost());
      ASSERT_EQ(truncate(segment->path().c_str(), left), 0);
      for (std::uint64_t i = 0; i < 2 * ring.capacity(); ++i) {
        ring.push(RecordKind::kRelease, ReleaseRecord{1, 2});
      }
      EXPECT_TRUE(segment->isLost());
      EXPECT_EQ(ring.push(RecordKind::kRelease, ReleaseRecord{1, 2}),
                Ring::kFull);
      EXPECT_EQ(ring.pushDefinition(RecordKind::kDefineText, {1, 1}, "x", 1),
                Ring::kFull);
    });
    EXPECT_EQ(status, 0) << left;
  }
}

TEST_F(RingGuardTest, AnotherFaultEndsTheProcessAsBefore) {
  const int status = statusOf([&] {
    const auto segment = this->segment();
    *beyondAFile() = 1;
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS) << status;
}

TEST_F(RingGuardTest, ASignalThatIsSentEndsTheProcessAsBefore) {
  const int status = statusOf([&] {
    const auto segment = this->segment();
    raise(SIGBUS);
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS) << status;
}

TEST_F(RingGuardTest, TheJobsOwnHandlerGetsTheJobsFaults) {
  const int fault = statusOf([&] {
    signal(SIGBUS, [](int) { std::_Exit(kJobsOwn); });
    const auto segment = this->segment();
    *beyondAFile() = 1;
  });
  EXPECT_EQ(WEXITSTATUS(fault), kJobsOwn);
  const int sent = statusOf([&] {
    signal(SIGBUS, [](int) { std::_Exit(kJobsOwn); });
    const auto segment = this->segment();
    raise(SIGBUS);
  });
  EXPECT_EQ(WEXITSTATUS(sent), kJobsOwn);
}

TEST_F(RingGuardTest, KeepsEarlierRecordsAndLeavesTheEndUnknown) {
  const int status = statusOf([&] {
    Recorder& recorder = start();
    auto group = recorder.addGroup(worldOfTwo());
    for (std::uint64_t seq = 1; seq <= 100; ++seq) {
      completeCall(recorder, *group, seq);
    }
    ASSERT_TRUE(recorder.flush(kFlushLimit));
    ASSERT_EQ(truncate(segments().at(0).c_str(), 8192), 0);
    for (std::uint64_t seq = 101; seq <= 2000; ++seq) {
      completeCall(recorder, *group, seq);
    }
    EXPECT_FALSE(recorder.flush(kFlushLimit));
    EXPECT_FALSE(recorder.recent(kFlushLimit).second);
    Recorder::stopCurrent(kFlushLimit);
  });
  EXPECT_EQ(status, 0);
  const auto found = recover();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].outcome, RecoverOutcome::kUnreadable);
  EXPECT_NE(found[0].why.find("truncated"), std::string::npos);
  const RecoveredTrace trace = readRecovered(traces());
  ASSERT_FALSE(trace.payloads.empty());
  EXPECT_EQ(trace.seqs.at(0).size(), 100u);
  EXPECT_FALSE(trace.accounts().closed());
}

}  // namespace
}  // namespace traced::testing
