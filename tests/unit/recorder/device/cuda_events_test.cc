// Tests how CudaEvents handles CUDA's answers, with fake functions.

#include "recorder/device/cuda_events.h"

#include <gtest/gtest.h>

#include <utility>

namespace traced {
namespace {

// The result of every function, and the thread's last error.
int answer = 0;
int last_error = 0;
int capture_status = 0;
int current_device = 0;
int contexts_on_device_0 = 0;

// Simulates the call of any CUDA function.
int called() {
  if (answer != 0 && answer != CudaRuntime::kNotReady) last_error = answer;
  return answer;
}

CudaRuntime runtime(bool is_13) {
  CudaRuntime cuda{};
  cuda.getLastError = [] { return std::exchange(last_error, 0); };
  cuda.peekAtLastError = [] { return last_error; };
  cuda.setDevice = [](int device) {
    current_device = device;
    return called();
  };
  cuda.exchangeCaptureMode = [](int*) {
    if (current_device == 0) ++contexts_on_device_0;
    return called();
  };
  cuda.recordEvent = [](void*, void*) { return called(); };
  cuda.queryEvent = [](void*) { return called(); };
  cuda.elapsedTime = [](float* ms, void*, void*) {
    *ms = -1.5F;
    return called();
  };
  const auto info = [](int* status, unsigned long long* graph) {
    *status = capture_status;
    *graph = 12;
    return called();
  };
  static const auto inform = info;
  if (is_13) {
    cuda.captureInfo13 = [](void*, int* status, unsigned long long* graph,
                            void**, const void**, const void**,
                            std::size_t*) { return inform(status, graph); };
  } else {
    cuda.captureInfo12 = [](void*, int* status, unsigned long long* graph,
                            void**, const void**,
                            std::size_t*) { return inform(status, graph); };
  }
  return cuda;
}

class Events : public CudaEvents {
 public:
  explicit Events(bool is_13 = true, int device = 0)
      : CudaEvents(runtime(is_13), device) {
    answer = last_error = capture_status = 0;
  }
  std::optional<Stream> currentStream() noexcept override { return nullptr; }
};

using Status = DeviceEvents::Capture::Status;

TEST(CudaEventsTest, TheRecordersThreadUsesOnlyItsOwnDevice) {
  Events events(true, 3);
  EXPECT_TRUE(events.enterThread());
  EXPECT_EQ(current_device, 3);
  EXPECT_EQ(contexts_on_device_0, 0);
}

TEST(CudaEventsTest, ClearsOnlyItsOwnErrors) {
  Events events;
  answer = 400;
  EXPECT_FALSE(events.record(nullptr, nullptr));
  EXPECT_EQ(last_error, 0);

  answer = 0;
  last_error = 700;  // another library's error
  EXPECT_TRUE(events.record(nullptr, nullptr));
  answer = CudaRuntime::kNotReady;
  EXPECT_EQ(events.query(nullptr), DeviceEvents::State::kPending);
  EXPECT_EQ(last_error, 700);
}

TEST(CudaEventsTest, AQueryHasThreeAnswers) {
  Events events;
  EXPECT_EQ(events.query(nullptr), DeviceEvents::State::kReached);
  answer = CudaRuntime::kNotReady;
  EXPECT_EQ(events.query(nullptr), DeviceEvents::State::kPending);
  answer = 700;
  EXPECT_EQ(events.query(nullptr), DeviceEvents::State::kFailed);
}

TEST(CudaEventsTest, ACaptureIsReportedByBothGenerationsOfCuda) {
  for (const bool is_13 : {false, true}) {
    Events events(is_13);
    EXPECT_EQ(events.capture(nullptr).status, Status::kNone);
    capture_status = CudaRuntime::kCaptureActive;
    EXPECT_EQ(events.capture(nullptr).status, Status::kActive);
    EXPECT_EQ(events.capture(nullptr).graph, 12u);
    capture_status = 2;  // invalidated
    EXPECT_EQ(events.capture(nullptr).status, Status::kUnknown);
    // The legacy stream during another thread's capture.
    answer = 906;
    EXPECT_EQ(events.capture(nullptr).status, Status::kUnknown);
    EXPECT_EQ(last_error, 0);
  }
}

TEST(CudaEventsTest, ElapsedTimeIsInNanosecondsAndMayBeNegative) {
  Events events;
  EXPECT_EQ(events.elapsedNs(nullptr, nullptr), -1'500'000);
  answer = 600;
  EXPECT_FALSE(events.elapsedNs(nullptr, nullptr));
}

}  // namespace
}  // namespace traced
