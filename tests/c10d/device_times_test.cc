// Tests the trace of a backend that works on device streams: begin and end of
// operations, stalls of waits, and captures.

#include <ATen/ops/ones.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <thread>

#include "c10d/wrapper/traced_backend.h"
#include "fake_nccl.h"
#include "recorder/device/device_anchors.h"
#include "recorder/devices.h"
#include "support/record_calls.h"
#include "support/rows_of.h"
#include "support/temp_dir.h"
#include "support/trace_file.h"

namespace traced::testing {
namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::chrono::seconds kLimit{20};
const std::vector<std::uint32_t> kGaveUp = {v1::MARK_KIND_ENGINE_FAILED};

std::map<int, FakeDevice*> devices;  // of the recording process

std::unique_ptr<DeviceEvents> makeEvents(int index) noexcept {
  const auto found = devices.find(index);
  return found == devices.end() ? nullptr : found->second->events();
}

struct Found {
  std::map<OpId, DoneRow> done;
  std::map<OpId, std::vector<WaitRow>> waits;
  std::map<OpId, v1::Call> calls;
  std::map<OpId, std::int64_t> issue_ns;
  std::vector<OpId> ops;             // in issue order
  std::vector<std::uint32_t> marks;  // their kinds
};

// Expects a measured duration of about `ns`. A pause of the thread between the
// two events may lengthen it. It never begins before the issue, and it exceeds
// the end by an anchor's error at most.
void expectKernel(const Found& found, OpId op, std::int64_t ns) {
  const DoneRow& done = found.done.at(op);
  const auto measured_ns = static_cast<std::int64_t>(done.engine_ns_plus_1) - 1;
  EXPECT_GE(measured_ns, ns - kMs / 10);
  EXPECT_LE(measured_ns,
            done.end_ns - found.issue_ns.at(op) + DeviceAnchors::kMaxError);
}

class Job {
 public:
  Job(Recorder& recorder, FakeDevice& on, const std::string& name, bool hooks,
      std::int8_t index = 0)
      : recorder_(recorder), device_(on), index_(index) {
    inner_ = c10::make_intrusive<FakeNccl>(on, name);
    inner_->has_hooks = hooks;
    inner_->setBoundDeviceId(at::Device(at::kCUDA, index));
    GroupInfo info = worldOfTwo();
    info.backend = name;
    info.leg = "cuda";
    backend_ = c10::make_intrusive<TracedBackend>(
        inner_, recorder, recorder.addGroup(std::move(info)), &makeEvents);
  }

  c10::intrusive_ptr<c10d::Work> allreduce(bool async) {
    c10d::AllreduceOptions options;
    options.asyncOp = async;
    return backend_->allreduce(tensors_, options);
  }
  // Blocks until device times are taken.
  void warmUp() {
    const std::int64_t kernel_ns = std::exchange(inner_->kernel_ns, 0);
    std::uint64_t untimed = 0;
    std::uint64_t before = 0;
    do {
      before = untimed;
      allreduce(false);
      ASSERT_TRUE(recorder_.devices().find(index_));
      untimed = recorder_.devices().untimed().total();
    } while (untimed != before);
    inner_->kernel_ns = kernel_ns;
  }
  // Blocks until the device has finished all its work.
  void wait() {
    while (nowNs() <
           std::max(device_.idleAt(device_.currentStream()),
                    device_.idleAt(FakeDevice::stream(kEngineStream)))) {
    }
  }
  FakeNccl& inner() { return *inner_; }
  void letGo() { backend_.reset(); }
  TracedBackend& backend() { return *backend_; }
  Recorder& recorder() { return recorder_; }

 private:
  Recorder& recorder_;
  FakeDevice& device_;
  const std::int8_t index_;
  c10::intrusive_ptr<FakeNccl> inner_;
  c10::intrusive_ptr<TracedBackend> backend_;
  std::vector<at::Tensor> tensors_ = {at::ones({16})};
};

class DeviceTraceTest : public ::testing::Test {
 protected:
  using Body = std::function<void(Job&, FakeDevice&)>;

  // Runs `body` in a process of its own and returns the contents of its trace.
  Found traced(DeviceTimeMode mode, Body body, const char* name = "nccl",
               bool hooks = false) {
    const pid_t child = fork();
    if (child == 0) {
      Options options;
      options.directory = directory_.path();
      options.ring_directory = directory_.path();
      options.device_time = mode;
      auto recorder = Recorder::start(options, {});
      FakeDevice simulated([] { return nowNs(); });
      devices[0] = &simulated;
      Job job(**recorder, simulated, name, hooks);
      body(job, simulated);
      (*recorder)->devices().stop(kLimit);  // an exit leaves only half a second
      Recorder::stopCurrent(kLimit);
      std::_Exit(::testing::Test::HasFailure());
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    return read();
  }

  Found read() {
    Found found;
    std::map<std::uint32_t, v1::Call> calls;
    for (const v1::Payload& payload : decodeTrace(readFile(traceFile()))) {
      for (const v1::Call& call : payload.call()) calls[call.id()] = call;
      for (const auto& row : rowsOf<IssueRow>(payload)) {
        found.ops.push_back(row.op);
        found.issue_ns[row.op] = row.issue_ns;
        found.calls[row.op] = calls[row.call];
      }
      for (const auto& row : rowsOf<DoneRow>(payload)) {
        EXPECT_TRUE(found.done.emplace(row.op, row).second);
      }
      for (const auto& row : rowsOf<MarkRow>(payload)) {
        found.marks.push_back(row.kind);
      }
      for (const auto& row : rowsOf<WaitRow>(payload)) {
        found.waits[row.op].push_back(row);
      }
    }
    return found;
  }
  std::string traceFile() const {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(directory_.path())) {
      if (entry.path().extension() == ".traced") return entry.path();
    }
    return "";
  }

  const TempDir directory_;
};

TEST_F(DeviceTraceTest, ASynchronousCallIsTimedOnTheCallersStream) {
  const Found found = traced(DeviceTimeMode::kFull, [](Job& job, FakeDevice&) {
    job.warmUp();
    job.inner().kernel_ns = 5 * kMs;
    EXPECT_EQ(job.allreduce(false), nullptr) << "no Work stays no Work";
    job.wait();
  });
  const DoneRow& done = found.done.at(found.ops.back());
  EXPECT_EQ(done.source, v1::END_SOURCE_DEVICE_EVENT);
  expectKernel(found, found.ops.back(), 5 * kMs);
}

// torch's newer engine returns a Work here.
TEST_F(DeviceTraceTest, ASynchronousCallThatReturnsAWorkIsTimedTheSame) {
  const Found found = traced(
      DeviceTimeMode::kFull,
      [](Job& job, FakeDevice& on) {
        job.inner().sync_has_work = true;
        job.warmUp();
        job.wait();
        job.inner().kernel_ns = 5 * kMs;
        const std::size_t before = on.recordsOn(on.currentStream());
        const auto work = job.allreduce(false);
        ASSERT_TRUE(work);
        work->wait();
        EXPECT_EQ(on.recordsOn(on.currentStream()) - before, 2u)
            << "and none for the wait";
        job.wait();
      },
      "nccl2");
  const DoneRow& done = found.done.at(found.ops.back());
  EXPECT_EQ(done.source, v1::END_SOURCE_DEVICE_EVENT);
  expectKernel(found, found.ops.back(), 5 * kMs);
}

// An unknown engine may run on a stream of its own, so only the wait bounds it.
TEST_F(DeviceTraceTest, AWorkOfAnotherEngineIsTimedByItsWait) {
  const Found found = traced(
      DeviceTimeMode::kFull,
      [](Job& job, FakeDevice&) {
        job.warmUp();
        job.inner().sync_has_work = true;
        job.allreduce(false)->wait();
        job.wait();
      },
      "another");
  EXPECT_EQ(found.done.at(found.ops.back()).source, v1::END_SOURCE_DEVICE_WAIT);
}

TEST_F(DeviceTraceTest, PutsNoEventsForABatchThatAlwaysReturnsAWork) {
  traced(
      DeviceTimeMode::kFull,
      [](Job& job, FakeDevice& on) {
        job.inner().sync_has_work = true;
        job.warmUp();
        const std::size_t before = on.recordsOn(on.currentStream());
        job.backend().startCoalescing();
        job.allreduce(true);
        EXPECT_TRUE(job.backend().endCoalescing());
        EXPECT_EQ(on.recordsOn(on.currentStream()), before);
      },
      "nccl2");
}

TEST_F(DeviceTraceTest, SwitchedOffNothingIsPutOnAStream) {
  const Found found =
      traced(DeviceTimeMode::kOff, [](Job& job, FakeDevice& on) {
        job.allreduce(false);
        job.allreduce(true)->wait();
        EXPECT_EQ(on.records(), 0u);
        EXPECT_EQ(on.queries(), 0u);
      });
  EXPECT_EQ(found.ops.size(), 2u);
  EXPECT_TRUE(found.done.empty());
}

TEST_F(DeviceTraceTest, AWaitReportsItsStall) {
  const Found found = traced(DeviceTimeMode::kFull, [](Job& job, FakeDevice&) {
    job.warmUp();
    job.inner().kernel_ns = 400 * kMs;
    job.allreduce(true)->wait();
    job.wait();
  });
  const OpId op = found.ops.back();
  EXPECT_EQ(found.done.at(op).source, v1::END_SOURCE_DEVICE_WAIT);
  const auto& waits = found.waits.at(op);
  ASSERT_EQ(waits.size(), 2u);
  EXPECT_EQ(waits[0].stall_ns_plus_1, 0u) << "written before it was known";
  EXPECT_EQ(waits[0].wait_begin_ns, waits[1].wait_begin_ns);
  // The wait may begin some time after the kernel.
  EXPECT_GT(waits[1].stall_ns_plus_1, 100u * kMs);
  EXPECT_LT(waits[1].stall_ns_plus_1, 401u * kMs);
  EXPECT_FALSE(waits[0].saw_end) << "the host did not wait";
}

TEST_F(DeviceTraceTest, NeverRequestsTheFutureOfAnNcclWork) {
  for (const char* name : {"nccl", "nccl2", "nccl-lazy"}) {
    const DeviceTraceTest::Body body = [](Job& job, FakeDevice&) {
      job.allreduce(true);
      EXPECT_EQ(job.inner().futures, 0);
    };
    traced(DeviceTimeMode::kOff, body, name);
    std::filesystem::remove(traceFile());
  }
}

TEST_F(DeviceTraceTest,
       CapturedOperationsAreReportedWithTheirGraphAndNotTimed) {
  const Found found =
      traced(DeviceTimeMode::kFull, [](Job& job, FakeDevice& on) {
        job.warmUp();
        on.capture(on.currentStream(), 6);
        job.allreduce(false);
        job.allreduce(true)->wait();
        on.endCapture(on.currentStream());
        EXPECT_FALSE(on.disturbedCapture());
      });
  for (std::size_t i = found.ops.size() - 2; i < found.ops.size(); ++i) {
    const OpId op = found.ops[i];
    EXPECT_EQ(found.calls.at(op).graph_plus_1(), 7u);
    EXPECT_FALSE(found.done.contains(op));
  }
  EXPECT_EQ(found.calls.at(found.ops[0]).graph_plus_1(), 0u);
}

TEST_F(DeviceTraceTest, CapturesAreReportedAlsoWithoutDeviceTimes) {
  const Found found =
      traced(DeviceTimeMode::kOff, [](Job& job, FakeDevice& on) {
        on.capture(on.currentStream(), 6);
        job.allreduce(false);
      });
  EXPECT_EQ(found.calls.at(found.ops[0]).graph_plus_1(), 7u);
}

TEST_F(DeviceTraceTest, ABatchIsTimedAsAWholeAndItsMembersAreNot) {
  const Found found = traced(DeviceTimeMode::kFull, [](Job& job, FakeDevice&) {
    job.warmUp();
    job.backend().startCoalescing();
    job.allreduce(false);
    job.allreduce(false);
    EXPECT_EQ(job.backend().endCoalescing(), nullptr);
    job.wait();
  });
  const std::size_t n = found.ops.size();
  EXPECT_TRUE(found.done.contains(found.ops[n - 1]));
  EXPECT_FALSE(found.done.contains(found.ops[n - 2]));
  EXPECT_FALSE(found.done.contains(found.ops[n - 3]));
}

TEST_F(DeviceTraceTest, ACallThatFailsFailsAsBeforeAndLeavesNoSpan) {
  traced(DeviceTimeMode::kFull, [](Job& job, FakeDevice&) {
    job.warmUp();
    job.inner().fails = true;
    for (std::size_t i = 0; i < EventPool::kSpans + 1; ++i) {
      EXPECT_THROW(job.allreduce(false), std::runtime_error);
    }
    EXPECT_EQ(
        job.recorder().devices().untimed().count(Untimed::Reason::kNoEvent),
        0u);
  });
}

TEST_F(DeviceTraceTest, AnAbortLosesTheEndsOfActiveOperationsOfItsGroup) {
  const Found found =
      traced(DeviceTimeMode::kFull, [](Job& job, FakeDevice& on) {
        Job other(job.recorder(), on, "nccl", false);
        job.warmUp();
        job.wait();
        job.inner().kernel_ns = 200 * kMs;
        other.inner().kernel_ns = 0;
        job.allreduce(false);
        job.allreduce(true)->wait();
        other.allreduce(false);
        job.backend().markAndFlush(MarkKind::kAbort);
        other.allreduce(false);
        job.wait();
        const Untimed& untimed = job.recorder().devices().untimed();
        while (untimed.count(Untimed::Reason::kAborted) < 2) {
        }
      });
  const std::size_t n = found.ops.size();
  EXPECT_FALSE(found.done.contains(found.ops[n - 4]));
  EXPECT_FALSE(found.done.contains(found.ops[n - 3]));
  EXPECT_TRUE(found.done.contains(found.ops[n - 2]));
  EXPECT_TRUE(found.done.contains(found.ops[n - 1]));
}

TEST_F(DeviceTraceTest, EachDeviceOfAProcessIsMeasuredByItself) {
  const Found found = traced(DeviceTimeMode::kFull, [](Job& job, FakeDevice&) {
    FakeDevice other([] { return nowNs(); });
    other.setClock(/*offset_ns=*/-3'600'000 * kMs, /*drift_ppm=*/20);
    devices[1] = &other;
    Job second(job.recorder(), other, "nccl", false, 1);
    job.warmUp();
    second.warmUp();
    job.inner().kernel_ns = 3 * kMs;
    second.inner().kernel_ns = 9 * kMs;
    job.allreduce(false);
    second.allreduce(false);
    second.wait();
    job.wait();
    // Stop while the threads live: an exit leaves them only half a second.
    job.recorder().devices().stop(kLimit);
    Recorder::stopCurrent(kLimit);
  });
  const std::size_t n = found.ops.size();
  expectKernel(found, found.ops[n - 2], 3 * kMs);
  expectKernel(found, found.ops[n - 1], 9 * kMs);
}

TEST_F(DeviceTraceTest, TheResultOfAnEngineWithoutHooksReportsEnds) {
  const Found found = traced(DeviceTimeMode::kOff, [](Job& job, FakeDevice&) {
    job.inner().has_results = true;
    const auto work = job.allreduce(true);
    job.inner().setResult(c10d::WorkResult::SUCCESS);
    EXPECT_EQ(job.inner().futures, 0);
  });
  const DoneRow& done = found.done.at(found.ops.back());
  EXPECT_EQ(done.source, v1::END_SOURCE_COMPLETION_HOOK);
  EXPECT_EQ(done.outcome, static_cast<std::uint32_t>(Outcome::kOk));
  EXPECT_EQ(done.engine_ns_plus_1, 0u) << "it does not say how long it took";
}

TEST_F(DeviceTraceTest, TheResultReportsThatAnOperationTimedOut) {
  const Found found = traced(DeviceTimeMode::kOff, [](Job& job, FakeDevice&) {
    job.inner().has_results = true;
    job.allreduce(true);  // the caller does not wait
    job.inner().setResult(c10d::WorkResult::TIMEOUT);
  });
  EXPECT_EQ(found.done.at(found.ops.back()).outcome,
            static_cast<std::uint32_t>(Outcome::kThrew));
  EXPECT_EQ(found.marks.size(), 1u) << "a failure, brought to the file at once";
}

TEST_F(DeviceTraceTest, ACommunicatorFailureIsReportedForNoOperation) {
  const Found found = traced(DeviceTimeMode::kOff, [](Job& job, FakeDevice&) {
    job.inner().has_results = true;
    job.allreduce(true);
    job.inner().setResult(c10d::WorkResult::COMM_ERROR);
  });
  EXPECT_TRUE(found.done.empty()) << "it may have ended before";
  EXPECT_EQ(found.marks, kGaveUp);
}

TEST_F(DeviceTraceTest, AnEndAfterAnAbortIsCutOff) {
  const Found found = traced(DeviceTimeMode::kOff, [](Job& job, FakeDevice&) {
    job.inner().has_results = true;
    job.allreduce(true);
    job.backend().markAndFlush(MarkKind::kAbort);
    job.inner().setResult(c10d::WorkResult::SUCCESS);
  });
  EXPECT_TRUE(found.done.empty());
}

TEST_F(DeviceTraceTest, AnEngineWithoutHooksIsAskedForItsErrorUntilItHasOne) {
  const Found found = traced(DeviceTimeMode::kOff, [](Job& job, FakeDevice&) {
    const auto await = [](const std::atomic<int>& count, int times) {
      const auto deadline = std::chrono::steady_clock::now() + kLimit;
      while (count < times) {
        ASSERT_LT(std::chrono::steady_clock::now(), deadline);
        std::this_thread::yield();
      }
    };
    await(job.inner().errors_asked, 2);
    job.inner().error = c10d::ErrorType::COMM_ERROR;
    await(job.inner().errors_reported, 1);
    job.letGo();  // waits for an active check
  });
  EXPECT_EQ(found.marks, kGaveUp);
}

TEST_F(DeviceTraceTest, RequestsNoResultOfCapturedOrBatchedOperations) {
  traced(DeviceTimeMode::kOff, [](Job& job, FakeDevice& on) {
    job.inner().has_results = true;
    job.inner().members_have_work = true;
    on.capture(on.currentStream(), 6);
    job.allreduce(true);
    on.endCapture(on.currentStream());
    job.backend().startCoalescing();
    job.allreduce(true);
    EXPECT_EQ(job.inner().results_asked, 0);
    job.backend().endCoalescing();
    EXPECT_EQ(job.inner().results_asked, 1);
  });
}

TEST_F(DeviceTraceTest, AnEngineWithoutResultsIsAskedOnce) {
  traced(DeviceTimeMode::kOff, [](Job& job, FakeDevice&) {
    for (int i = 0; i < 3; ++i) job.allreduce(true);
    EXPECT_EQ(job.inner().results_asked, 1);
  });
}

TEST_F(DeviceTraceTest, AnEngineThatAsksTheDeviceForResultsIsNeverAsked) {
  for (const char* name : {"nccl2", "nccl-lazy"}) {
    const DeviceTraceTest::Body body = [](Job& job, FakeDevice&) {
      job.inner().has_results = true;
      job.allreduce(true);
      EXPECT_EQ(job.inner().results_asked, 0);
    };
    traced(DeviceTimeMode::kOff, body, name);
    std::filesystem::remove(traceFile());
  }
}

TEST_F(DeviceTraceTest, ReportsAnUnmeasurableDeviceOnce) {
  for (const DeviceTimeMode mode :
       {DeviceTimeMode::kOff, DeviceTimeMode::kFull}) {
    traced(mode, [&](Job& job, FakeDevice& on) {
      constexpr std::int8_t kUnknown = 7;
      ::testing::internal::CaptureStderr();
      for (int group = 0; group < 2; ++group) {
        Job other(job.recorder(), on, "nccl", false, kUnknown);
        other.allreduce(false);
      }
      const std::string stderr_text = ::testing::internal::GetCapturedStderr();
      const std::string line =
          "traced: no device times: no CUDA runtime that is understood was "
          "loaded\n";
      EXPECT_EQ(stderr_text, mode == DeviceTimeMode::kOff ? "" : line);
    });
    std::filesystem::remove(traceFile());
  }
}

#ifdef TRACED_BACKEND_HAS_registerCompletionHook
TEST_F(DeviceTraceTest, AnEngineWithHooksIsNotAskedForResults) {
  const DeviceTraceTest::Body body = [](Job& job, FakeDevice&) {
    job.allreduce(true);
    EXPECT_EQ(job.inner().results_asked, 0);
  };
  traced(DeviceTimeMode::kOff, body, "nccl2", true);
}

// The engine keeps a captured Work with its graph, and a batch's members with
// the batch. It reports the completion of neither.
TEST_F(DeviceTraceTest, CapturedOrBatchedOperationsHaveNoReportedEnd) {
  const DeviceTraceTest::Body body = [](Job& job, FakeDevice& on) {
    job.inner().members_have_work = true;
    on.capture(on.currentStream(), 6);
    job.allreduce(true);
    on.endCapture(on.currentStream());
    job.inner().complete(job.inner().last_key, {});
    job.backend().startCoalescing();
    job.allreduce(true);
    job.inner().complete(job.inner().last_key, {});
    const auto batch = job.backend().endCoalescing();
    job.inner().complete(job.inner().last_key, {});
  };
  const Found found = traced(DeviceTimeMode::kOff, body, "nccl2", true);
  ASSERT_EQ(found.ops.size(), 3u);
  EXPECT_EQ(found.done.size(), 1u);
  EXPECT_TRUE(found.done.contains(found.ops.back()));
}

TEST_F(DeviceTraceTest, TheCompletionHookReportsHowLongTheEngineTook) {
  const DeviceTraceTest::Body body = [](Job& job, FakeDevice&) {
    EXPECT_TRUE(job.inner().timing);
    const auto work = job.allreduce(true);
    job.inner().complete(job.inner().last_key, 2.5F);
  };
  const Found found = traced(DeviceTimeMode::kFull, body, "nccl2", true);
  const DoneRow& done = found.done.at(found.ops.back());
  EXPECT_EQ(done.source, v1::END_SOURCE_COMPLETION_HOOK);
  EXPECT_EQ(done.engine_ns_plus_1, 2'500'001u);
}
#endif

#ifdef TRACED_BACKEND_HAS_registerAbortHook
TEST_F(DeviceTraceTest, AnEngineWithHooksReportsThatItGivesUpAndIsNotAsked) {
  const DeviceTraceTest::Body body = [](Job& job, FakeDevice&) {
    job.allreduce(true);
    job.inner().error = c10d::ErrorType::TIMEOUT;
    const c10d::AbortHook hook = job.inner().abortHook();
    hook();
    hook();  // the same failure again
    EXPECT_EQ(job.inner().errors_asked, 2);
    job.letGo();
    EXPECT_FALSE(job.inner().abortHook());
    hook();  // its copy outlives the backend
  };
  const Found found = traced(DeviceTimeMode::kOff, body, "nccl2", true);
  EXPECT_TRUE(found.done.empty());
  EXPECT_EQ(found.marks, kGaveUp);
}
#endif

}  // namespace
}  // namespace traced::testing
