// Tests that the simulated runtime follows CUDA's documentation, and refuses
// the calls that CUDA refuses.

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>

extern "C" {
size_t simulated_cuda_contexts(char* out, size_t size);
size_t simulated_cuda_counts(char* out, size_t size);
void simulated_cuda_forget_device();
void simulated_cuda_set(const char* name, double value);
}

namespace {

// Provides a stream, and a way to hold it up.
class RuntimeTest : public testing::Test {
 protected:
  RuntimeTest() {
    cudaStreamCreate(&stream_);
    cudaEventCreate(&event_);
    cudaGetLastError();
  }
  ~RuntimeTest() override {
    open();
    cudaDeviceSynchronize();
  }

  // Blocks all later work on the stream until open().
  void holdUp(cudaStream_t stream) {
    closed_ = true;
    cudaLaunchHostFunc(
        stream,
        [](void* closed) {
          static_cast<std::atomic<bool>*>(closed)->wait(true);
        },
        &closed_);
  }
  void open() {
    closed_ = false;
    closed_.notify_all();
  }

  cudaStream_t stream_ = nullptr;
  cudaEvent_t event_ = nullptr;
  std::atomic<bool> closed_{false};
};

TEST_F(RuntimeTest, EventIsDoneOnceItsStreamHasReachedIt) {
  holdUp(stream_);
  cudaEventRecord(event_, stream_);
  EXPECT_EQ(cudaEventQuery(event_), cudaErrorNotReady);
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotReady);
  open();
  EXPECT_EQ(cudaEventSynchronize(event_), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(event_), cudaSuccess);
}

TEST_F(RuntimeTest, StreamWaitsForTheRecordThatTheEventHadAtTheCall) {
  cudaStream_t other;
  cudaStreamCreate(&other);
  holdUp(stream_);
  cudaEventRecord(event_, stream_);
  cudaStreamWaitEvent(other, event_, 0);
  cudaEventRecord(event_, other);  // re-recorded by now
  EXPECT_EQ(cudaStreamQuery(other), cudaErrorNotReady);
  open();
  EXPECT_EQ(cudaStreamSynchronize(other), cudaSuccess);
}

TEST_F(RuntimeTest, ElapsedTimeIsOfTheDevicesClock) {
  cudaEvent_t end;
  cudaEventCreate(&end);
  float exact = 0, drifting = 0;
  cudaEventRecord(event_, stream_);
  cudaEventRecord(end, stream_);
  cudaEventSynchronize(end);
  EXPECT_EQ(cudaEventElapsedTime(&exact, event_, end), cudaSuccess);
  simulated_cuda_set("SIMULATED_CUDA_CLOCK_PPM", 1e6);
  EXPECT_EQ(cudaEventElapsedTime(&drifting, event_, end), cudaSuccess);
  simulated_cuda_set("SIMULATED_CUDA_CLOCK_PPM", 0);
  EXPECT_FLOAT_EQ(drifting, 2 * exact);
}

TEST_F(RuntimeTest, RefusesTimesOfEventsThatHaveNone) {
  cudaEvent_t untimed;
  cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming);
  cudaEventRecord(untimed, stream_);
  cudaEventRecord(event_, stream_);
  float ms;
  EXPECT_EQ(cudaEventElapsedTime(&ms, untimed, event_),
            cudaErrorInvalidResourceHandle);
}

TEST_F(RuntimeTest, RefusesDestroyedHandles) {
  cudaEventDestroy(event_);
  EXPECT_EQ(cudaEventQuery(event_), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventDestroy(event_), cudaErrorInvalidResourceHandle);
  cudaStreamDestroy(stream_);
  EXPECT_EQ(cudaStreamQuery(stream_), cudaErrorInvalidResourceHandle);
}

TEST_F(RuntimeTest, RefusesEventsOfAnotherDevice) {
  cudaSetDevice(1);
  cudaEvent_t elsewhere;
  cudaEventCreate(&elsewhere);
  cudaSetDevice(0);
  EXPECT_EQ(cudaEventRecord(elsewhere, stream_),
            cudaErrorInvalidResourceHandle);
}

TEST_F(RuntimeTest, RefusesFreedMemory) {
  void *device, *kept;
  cudaMalloc(&device, 64);
  cudaMalloc(&kept, 64);
  cudaFree(device);
  EXPECT_EQ(cudaMemsetAsync(device, 0, 64, stream_), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyAsync(kept, device, 64, cudaMemcpyDefault, stream_),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(device), cudaErrorInvalidValue);
}

TEST_F(RuntimeTest, MemoryOfADeviceEnds) {
  void* much;
  EXPECT_EQ(cudaMalloc(&much, size_t{1} << 40), cudaErrorMemoryAllocation);
}

TEST_F(RuntimeTest, CapturedWorkIsDoneByTheReplay) {
  char* memory;
  cudaMalloc(reinterpret_cast<void**>(&memory), 1);
  cudaMemset(memory, 1, 1);
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
  cudaMemsetAsync(memory, 7, 1, stream_);
  ASSERT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
  cudaDeviceSynchronize();
  EXPECT_EQ(*memory, 1);
  cudaGraphInstantiate(&ready, graph, 0);
  cudaGraphLaunch(ready, stream_);
  cudaStreamSynchronize(stream_);
  EXPECT_EQ(*memory, 7);
}

class CaptureTest : public RuntimeTest {
 protected:
  cudaError_t end() {
    cudaGraph_t graph;
    return cudaStreamEndCapture(stream_, &graph);
  }
};

TEST_F(CaptureTest, AQueryInTheCapturingThreadInvalidatesIt) {
  cudaEventRecord(event_, stream_);
  cudaStreamSynchronize(stream_);
  cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
  EXPECT_EQ(cudaEventQuery(event_), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(end(), cudaErrorStreamCaptureInvalidated);
}

TEST_F(CaptureTest, AnotherThreadDisturbsAGlobalOneUnlessItIsRelaxed) {
  const auto ask = [](cudaEvent_t event, cudaStreamCaptureMode mode) {
    cudaError_t error;
    std::thread([&] {
      cudaThreadExchangeStreamCaptureMode(&mode);
      error = cudaEventQuery(event);
    }).join();
    return error;
  };
  cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
  EXPECT_EQ(ask(event_, cudaStreamCaptureModeRelaxed), cudaSuccess);
  EXPECT_EQ(ask(event_, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  EXPECT_EQ(end(), cudaSuccess);
  cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
  EXPECT_EQ(ask(event_, cudaStreamCaptureModeGlobal),
            cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(end(), cudaErrorStreamCaptureInvalidated);
}

TEST_F(CaptureTest, AnEventOfACaptureCannotBeQueriedEvenIfRelaxed) {
  auto mode = cudaStreamCaptureModeRelaxed;
  cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
  cudaEventRecord(event_, stream_);
  cudaThreadExchangeStreamCaptureMode(&mode);
  EXPECT_EQ(cudaEventQuery(event_), cudaErrorCapturedEvent);
  cudaThreadExchangeStreamCaptureMode(&mode);
  EXPECT_EQ(end(), cudaErrorStreamCaptureInvalidated);
}

TEST_F(CaptureTest, WaitingForAnOutsideEventInvalidatesIt) {
  cudaEventRecord(event_, nullptr);
  cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
  EXPECT_EQ(cudaStreamWaitEvent(stream_, event_, 0),
            cudaErrorStreamCaptureIsolation);
  EXPECT_EQ(end(), cudaErrorStreamCaptureInvalidated);
}

TEST_F(CaptureTest, WorkOfOtherStreamsMustBeJoined) {
  cudaStream_t side;
  cudaEvent_t joined;
  char* memory;
  cudaStreamCreate(&side);
  cudaEventCreate(&joined);
  cudaMalloc(reinterpret_cast<void**>(&memory), 1);
  const auto fork = [&] {
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    cudaEventRecord(event_, stream_);
    cudaStreamWaitEvent(side, event_, 0);
    cudaMemsetAsync(memory, 1, 1, side);
  };
  fork();
  EXPECT_EQ(end(), cudaErrorStreamCaptureUnjoined);
  fork();
  cudaEventRecord(joined, side);
  cudaStreamWaitEvent(stream_, joined, 0);
  EXPECT_EQ(end(), cudaSuccess);
}

TEST_F(RuntimeTest, CallsAreCountedByThread) {
  std::thread([&] {
    pthread_setname_np(pthread_self(), "counted");
    cudaEventQuery(event_);
    cudaEventQuery(event_);
  }).join();
  std::string text(simulated_cuda_counts(nullptr, 0), ' ');
  simulated_cuda_counts(text.data(), text.size());
  EXPECT_NE(text.find("counted\tcudaEventQuery\t2\n"), std::string::npos);
}

TEST_F(RuntimeTest, ContextsAreReportedByDeviceAndWhatMadeThem) {
  const auto contexts = [] {
    std::string text(simulated_cuda_contexts(nullptr, 0), ' ');
    simulated_cuda_contexts(text.data(), text.size());
    return text;
  };
  std::thread([&] {
    pthread_setname_np(pthread_self(), "elsewhere");
    int device = 0;
    cudaGetDevice(&device);
    EXPECT_EQ(contexts().find("elsewhere"), std::string::npos);
    cudaSetDevice(5);
    cudaEventQuery(event_);
  }).join();
  EXPECT_NE(contexts().find("5\telsewhere\tcudaSetDevice\n"),
            std::string::npos);
  EXPECT_EQ(contexts().find("cudaEventQuery"), std::string::npos)
      << "there was one by then";
  std::thread([&] {
    pthread_setname_np(pthread_self(), "forgetful");
    cudaSetDevice(6);
    simulated_cuda_forget_device();
    int device = 6;
    cudaGetDevice(&device);
    EXPECT_EQ(device, 0);
  }).join();
}

TEST(EndedCudaDeathTest, CallsAfterItsExitHandlerAreReported) {
  const auto end_it = [] {
    simulated_cuda_set("SIMULATED_CUDA_TELL_LATE", 1);
    static cudaStream_t stream;
    // Registered before the first use of CUDA, so it runs after CUDA's handler.
    std::atexit([] { cudaStreamQuery(stream); });
    cudaStreamCreate(&stream);
    cudaGetLastError();
    std::exit(0);
  };
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(end_it(), testing::ExitedWithCode(0),
              "^simulated CUDA refused cudaStreamQuery in thread [^\n]*: CUDA "
              "has ended\n$");
}

// Last, and in a process of its own: a broken device never recovers.
TEST(BrokenDeviceDeathTest, EveryCallFails) {
  const auto break_it = [] {
    simulated_cuda_set("SIMULATED_CUDA_BREAK_AT", 1);
    void* memory;
    cudaMalloc(&memory, 1);
    cudaMemsetAsync(memory, 0, 1, nullptr);
    const bool fails =
        cudaStreamSynchronize(nullptr) == cudaErrorIllegalAddress &&
        cudaMalloc(&memory, 1) == cudaErrorIllegalAddress;
    std::_Exit(fails ? 0 : 1);
  };
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(break_it(), testing::ExitedWithCode(0), "");
}

}  // namespace
