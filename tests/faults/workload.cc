#include "workload.h"

#include <sys/resource.h>

#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <thread>

#include "ring_io/recovery/recover_segments.h"
#include "unit/cli/run_tracectl.h"

namespace traced::testing {
namespace {

namespace fs = std::filesystem;

// Maximum number of pushed records that are not in the file yet. It is far
// below the size of the ring, so nothing is dropped even on a slow machine.
constexpr std::uint64_t kMaxAhead = 8000;

// Counts each record in the Truth before and after it is pushed.
class Thread {
 public:
  Thread(Recorder& recorder, RecordedGroup& group, Truth& truth,
         const std::atomic<std::uint64_t>& written, Pace pace, int number)
      : recorder_(recorder),
        group_(group),
        truth_(truth),
        written_(written),
        pace_(pace),
        mine_(truth.threads[number]),
        batch_(static_cast<std::uint64_t>(number) + 1) {}

  void record(std::uint64_t operations) {
    mine_.tid = gettid();
    for (std::uint64_t i = 1; i <= operations; ++i) {
      operation(i);
      if (pace_ == Pace::kAsFastAsCanBe) continue;
      if (i % 8 == 0) usleep(500);
      while (truth_.pushed() > written_ + kMaxAhead) usleep(500);
    }
  }

 private:
  void operation(std::uint64_t i) {
    // Shapes change, so that definitions are made and retired.
    const auto elements = static_cast<std::int64_t>(i % 400 + batch_ * 1000);
    OpId op = 0;
    push([&] { op = issueCall(recorder_, group_, i, batch_, elements); });
    if (isWaitedForAtOnce(i)) {
      push([&] { recorder_.waited(waitOf(op), nowNs()); }, 2);
      return;
    }
    push([&] {
      fails(i) ? recorder_.threw(op, nowNs(), "it failed")
               : recorder_.returned(op, nowNs());
    });
    push([&] { recorder_.done(op, nowNs(), EndSource::kFuture); });
    push([&] { recorder_.waited(waitOf(op)); });
    push([&] { recorder_.released(op); });
  }

  static WaitRecord waitOf(OpId op) {
    return {op, nowNs(), 5, 0, 0, 0, Outcome::kOk, true};
  }

  template <typename Push>
  void push(Push push, std::uint64_t records = 1) {
    mine_.begun += records;
    push();
    mine_.pushed += records;
    if (batch_ == 1 && truth_.fault) *nowhere_ = 0;
  }

  Recorder& recorder_;
  RecordedGroup& group_;
  Truth& truth_;
  const std::atomic<std::uint64_t>& written_;
  const Pace pace_;
  Truth::Thread& mine_;
  const std::uint64_t batch_;
  volatile int* volatile nowhere_ = nullptr;
};

struct Recording {
  Recording(const Options& options, Truth& truth, Pace pace,
            std::uint64_t operations)
      : recorder(**Recorder::start(options, {})),
        group(recorder.addGroup(worldOfTwo())) {
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([this, &truth, pace, t, operations] {
        Thread(recorder, *group, truth, written, pace, t).record(operations);
      });
    }
  }

  void flush(const Truth& truth) {
    const std::uint64_t pushed = truth.pushed();
    if (recorder.flush(std::chrono::seconds(60))) written = pushed;
  }

  Recorder& recorder;
  std::unique_ptr<RecordedGroup> group;
  std::atomic<std::uint64_t> written{0};  // records in the file; lower bound
  std::vector<std::thread> threads;
};

// Restores the default actions of fatal signals, which sanitizers replace.
// Disables core files.
void dieOfSignals() {
  signal(SIGSEGV, SIG_DFL);
  signal(SIGABRT, SIG_DFL);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

}  // namespace

std::uint64_t number(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

Options optionsIn(const std::string& directory) {
  Options options;
  options.standstill_ns = 0;  // the tests count records
  options.resources_ns = 0;
  options.directory = tracesIn(directory);
  options.ring_directory = directory;
  return options;
}

std::string tracesIn(const std::string& directory) {
  return directory + "/traces";
}

void recordForEver(const Options& options, Truth& truth, Pace pace) {
  dieOfSignals();
  Recording recording(options, truth, pace,
                      std::numeric_limits<std::uint64_t>::max());
  for (;;) recording.flush(truth);
}

void recordSome(const Options& options, Truth& truth,
                std::uint64_t operations) {
  dieOfSignals();
  Recording recording(options, truth, Pace::kWithTheWriter, operations);
  while (truth.pushed() < kThreads * recordsOf(operations)) {
    recording.flush(truth);
  }
  for (std::thread& thread : recording.threads) thread.join();
  Recorder::stopCurrent(std::chrono::seconds(20));
}

void waitUntilItRecords(const Truth& truth) {
  while (truth.pushed() == 0) usleep(100);
}

RecoveredTrace bringBack(const std::string& directory, By by) {
  if (by == By::kRecover) {
    const Ran ran = runTracectl("recover --ring-dir " + directory);
    EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
    return readRecovered(tracesIn(directory));
  }
  setenv("TRACED_RING_DIR", directory.c_str(), 1);
  const std::string out = directory + "/merged";
  fs::create_directory(out);
  const Ran ran = runTracectl("merge " + tracesIn(directory) + " -o " + out +
                              "/merged.traced");
  unsetenv("TRACED_RING_DIR");
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  return readRecovered(out);
}

std::size_t segmentsIn(const std::string& directory) {
  return findSegments({directory}).size();
}

}  // namespace traced::testing
