// Checks CudaRuntime's declarations against CUDA's own headers. Compiled only
// if they are installed. Needs no GPU.

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <tuple>
#include <type_traits>

#include "recorder/device/cuda_events.h"

namespace traced {
namespace {

// Compares how two parameter types are passed.
template <typename Ours, typename Theirs>
constexpr bool passedAlike() {
  return sizeof(Ours) == sizeof(Theirs) &&
         std::is_pointer_v<Ours> == std::is_pointer_v<Theirs> &&
         (std::is_integral_v<Ours> || std::is_enum_v<Ours>) ==
             (std::is_integral_v<Theirs> || std::is_enum_v<Theirs>);
}

template <typename Ours, typename Theirs>
constexpr bool calledAlike(Ours, Theirs) {
  return false;
}
template <typename OurResult, typename... Ours, typename TheirResult,
          typename... Theirs>
constexpr bool calledAlike(OurResult (*)(Ours...), TheirResult (*)(Theirs...)) {
  if constexpr (sizeof...(Ours) == sizeof...(Theirs)) {
    return passedAlike<OurResult, TheirResult>() &&
           (passedAlike<Ours, Theirs>() && ...);
  }
  return false;
}
template <auto CudaRuntime::*kOurs, typename Theirs>
constexpr bool matches(Theirs* theirs) {
  return calledAlike(CudaRuntime{}.*kOurs, theirs);
}

static_assert(matches<&CudaRuntime::setDevice>(&cudaSetDevice));
static_assert(matches<&CudaRuntime::getLastError>(&cudaGetLastError));
static_assert(matches<&CudaRuntime::peekAtLastError>(&cudaPeekAtLastError));
static_assert(matches<&CudaRuntime::exchangeCaptureMode>(
    &cudaThreadExchangeStreamCaptureMode));
static_assert(matches<&CudaRuntime::createEvent>(&cudaEventCreateWithFlags));
static_assert(matches<&CudaRuntime::recordEvent>(
    static_cast<cudaError_t (*)(cudaEvent_t, cudaStream_t)>(&cudaEventRecord)));
static_assert(matches<&CudaRuntime::queryEvent>(&cudaEventQuery));
static_assert(matches<&CudaRuntime::elapsedTime>(&cudaEventElapsedTime));
static_assert(matches<&CudaRuntime::createStream>(
    static_cast<cudaError_t (*)(cudaStream_t*, unsigned)>(
        &cudaStreamCreateWithFlags)));
static_assert(matches<&CudaRuntime::busId>(&cudaDeviceGetPCIBusId));
static_assert(matches<&CudaRuntime::registerHost>(&cudaHostRegister));
static_assert(matches<&CudaRuntime::copyAsync>(&cudaMemcpyAsync));
#if CUDART_VERSION >= 13000
static_assert(matches<&CudaRuntime::captureInfo13>(&cudaStreamGetCaptureInfo));
#else
static_assert(
    matches<&CudaRuntime::captureInfo12>(&cudaStreamGetCaptureInfo_v2));
#endif
static_assert(CudaRuntime::kSuccess == cudaSuccess);
static_assert(CudaRuntime::kNotReady == cudaErrorNotReady);
static_assert(CudaRuntime::kEventDefault == cudaEventDefault);
static_assert(CudaRuntime::kStreamNonBlocking == cudaStreamNonBlocking);
static_assert(CudaRuntime::kCaptureActive == cudaStreamCaptureStatusActive);
static_assert(CudaRuntime::kCaptureModeRelaxed == cudaStreamCaptureModeRelaxed);
static_assert(CudaRuntime::kHostRegisterDefault == cudaHostRegisterDefault);
static_assert(CudaRuntime::kByAddress == cudaMemcpyDefault);

class Events : public CudaEvents {
 public:
  using CudaEvents::CudaEvents;
  std::optional<Stream> currentStream() noexcept override { return nullptr; }
};

TEST(CudaRuntimeTest, ALibraryThatIsNotLoadedUsesNone) {
  EXPECT_FALSE(CudaRuntime::usedBy(TRACED_TEST_CUDART));
}

// Without a driver the real runtime refuses everything.
TEST(CudaRuntimeTest, WithoutADriverNothingIsMeasured) {
  void* library = dlopen(TRACED_TEST_CUDART, RTLD_NOW | RTLD_GLOBAL);
  if (!library) GTEST_SKIP() << dlerror();
  const auto cuda = CudaRuntime::usedBy(TRACED_TEST_CUDART);
  ASSERT_TRUE(cuda);
  void* event = nullptr;
  if (cuda->createEvent(&event, CudaRuntime::kEventDefault) == 0) {
    GTEST_SKIP() << "there is a GPU: scripts/gpu_check tests the real thing";
  }
  cuda->getLastError();
  Events events(*cuda, 0);
  EXPECT_FALSE(events.enterThread());
  EXPECT_EQ(events.create(), nullptr);
  EXPECT_FALSE(events.ownStream());
  EXPECT_EQ(events.capture(nullptr).status,
            DeviceEvents::Capture::Status::kUnknown);
  EXPECT_FALSE(events.record(nullptr, nullptr));
  EXPECT_EQ(events.query(nullptr), DeviceEvents::State::kFailed);
  EXPECT_FALSE(events.elapsedNs(nullptr, nullptr));
}

}  // namespace
}  // namespace traced
