// Tests that, of several CUDA runtimes in a process, the one that a library
// uses is selected.

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "recorder/device/cuda_events.h"

namespace traced {
namespace {

int versionUsedBy(const char* library) {
  const auto cuda = CudaRuntime::usedBy(library);
  return cuda ? cuda->getLastError() : 0;
}

TEST(UsedRuntimeTest, SelectsTheRuntimeThatTheLibraryIsLinkedTo) {
  // Another, newer runtime is loaded first, with global symbols.
  ASSERT_TRUE(dlopen(TRACED_TEST_CUDART_13, RTLD_NOW | RTLD_GLOBAL));
  EXPECT_EQ(versionUsedBy(TRACED_TEST_USES_CUDART_12), 0);
  ASSERT_TRUE(dlopen(TRACED_TEST_USES_CUDART_12, RTLD_NOW));
  EXPECT_EQ(versionUsedBy(TRACED_TEST_USES_CUDART_12), 12);
  EXPECT_EQ(versionUsedBy(TRACED_TEST_CUDART_13), 13);
}

TEST(UsedRuntimeTest, HasTheCaptureInfoOfItsVersion) {
  ASSERT_TRUE(dlopen(TRACED_TEST_CUDART_13, RTLD_NOW));
  ASSERT_TRUE(dlopen(TRACED_TEST_USES_CUDART_12, RTLD_NOW));
  const auto older = CudaRuntime::usedBy(TRACED_TEST_USES_CUDART_12);
  const auto newer = CudaRuntime::usedBy(TRACED_TEST_CUDART_13);
  ASSERT_TRUE(older && newer);
  EXPECT_TRUE(older->captureInfo12 && !older->captureInfo13);
  EXPECT_TRUE(newer->captureInfo13 && !newer->captureInfo12);
}

}  // namespace
}  // namespace traced
