#include "recorder/stacks/cpp_stack.h"

#include <alloca.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <gtest/gtest.h>
#include <unwind.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "recorder/stacks/loaded_code.h"

namespace {

int unwinds = 0;

}  // namespace

// Overrides the function of libgcc, and counts calls.
extern "C" _Unwind_Reason_Code _Unwind_Backtrace(_Unwind_Trace_Fn visit,
                                                 void* argument) {
  ++unwinds;
  static const auto unwind = reinterpret_cast<decltype(&_Unwind_Backtrace)>(
      dlsym(RTLD_NEXT, "_Unwind_Backtrace"));
  return unwind(visit, argument);
}

namespace traced {
namespace {

using Addresses = std::vector<std::uintptr_t>;

Addresses copyOf(const CppStack& stack) {
  return {stack.frames().begin(), stack.frames().end()};
}

[[gnu::noinline]] CppStack atDepth(int depth) {
  CppStack stack = depth > 0 ? atDepth(depth - 1) : cppStackHere();
  asm volatile("" : : "r"(&stack) : "memory");  // nor here
  return stack;
}

TEST(CppStackTest, TheSameCallSiteHasTheSameStack) {
  std::vector<CppStack> stacks;
  for (int i = 0; i < 3; ++i) stacks.push_back(cppStackHere());
  EXPECT_GT(stacks[0].count, 3u);
  EXPECT_FALSE(stacks[0].cut);
  EXPECT_EQ(copyOf(stacks[1]), copyOf(stacks[2]));
  EXPECT_EQ(stacks[1].hash, stacks[2].hash);
}

TEST(CppStackTest, DistinguishesStacksThatDifferAnywhere) {
  const auto last = [](const CppStack& stack, std::size_t frames) {
    return Addresses(stack.frames().end() - static_cast<std::ptrdiff_t>(frames),
                     stack.frames().end());
  };
  const CppStack here = cppStackHere();
  // Calls through the same functions at the same depth, from two lines.
  const CppStack one = atDepth(5);
  const CppStack other = atDepth(5);
  EXPECT_EQ(one.count, other.count);
  EXPECT_NE(copyOf(one), copyOf(other));
  EXPECT_NE(one.hash, other.hash);
  const std::size_t outside = here.count - 1;
  EXPECT_EQ(last(one, outside), last(here, outside));
  EXPECT_EQ(last(other, outside), last(here, outside));
}

// Returns whether glibc, which unwinds each time, finds the same frames. The
// innermost frame is at another line here.
[[gnu::noinline]] bool agrees(int depth, std::uint64_t way) {
  if (depth == 0) {
    std::array<void*, CppStack::kMaxFrames> unwound;
    const CppStack& stack = cppStackHere();
    const int count = backtrace(unwound.data(), unwound.size());
    // A sanitizer inserts a function of its own.
    const std::size_t more = static_cast<std::size_t>(count) - stack.count;
    if (more > 1) return false;
    for (std::size_t i = 1; i < stack.count; ++i) {
      const auto address = reinterpret_cast<std::uintptr_t>(unwound[i + more]);
      if (stack.addresses[i] != address) return false;
    }
    return true;
  }
  // Uses one of two calls, with a stack frame of varying size.
  auto* memory = static_cast<volatile char*>(alloca(16 << (way >> 1 & 3)));
  memory[0] = 0;
  bool yes = false;
  if (way & 1) {
    yes = agrees(depth - 1, way >> 3);
  } else {
    yes = agrees(depth - 1, way >> 3);
  }
  return yes;
}

TEST(CppStackTest, CachedStacksEqualUnwoundOnes) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t way = random() & 0xFFF;
    ASSERT_TRUE(agrees(static_cast<int>(random() % 5), way)) << way;
  }
}

TEST(CppStackTest, CachedStacksAreNotUnwoundAgain) {
#ifndef __x86_64__
  GTEST_SKIP() << "stacks are unwound each time";
#endif
  const int before = unwinds;
  for (int i = 0; i < 3; ++i) cppStackHere();
  EXPECT_EQ(unwinds, before + 1);
}

TEST(CppStackTest, TruncatesDeepStacks) {
  const CppStack stack = atDepth(100);
  EXPECT_EQ(stack.count, CppStack::kMaxFrames);
  EXPECT_TRUE(stack.cut);
  const CppStack again = atDepth(100);
  EXPECT_TRUE(again.cut);
}

TEST(CppStackTest, IsReportedByBinaryAndOffset) {
  const CppStack stack = cppStackHere();
  v1::NewStack new_stack;
  describeCppStack(stack, nullptr, new_stack);
  ASSERT_EQ(new_stack.code_size(), static_cast<int>(stack.count));
  ASSERT_EQ(new_stack.stack().cpp_size(), static_cast<int>(stack.count));
  for (int i = 0; i < new_stack.code_size(); ++i) {
    EXPECT_EQ(new_stack.stack().cpp(i), new_stack.code(i).id());
    Dl_info info;
    const std::uintptr_t address = stack.addresses[static_cast<std::size_t>(i)];
    ASSERT_NE(dladdr(reinterpret_cast<void*>(address - 1), &info), 0);
    EXPECT_EQ(new_stack.code(i).offset(),
              address - 1 - reinterpret_cast<std::uintptr_t>(info.dli_fbase));
  }
  EXPECT_EQ(new_stack.code(0).binary(), programPath());
  EXPECT_FALSE(new_stack.code(0).build_id().empty());
  const v1::Code& outermost = *std::prev(new_stack.code().end());
  EXPECT_TRUE(outermost.binary().ends_with("/libc.so.6") ||
              outermost.binary() == programPath())
      << outermost.binary();
}

TEST(CppStackTest, OmitsTheRecordersInnermostFrames) {
  v1::NewStack new_stack;
  describeCppStack(atDepth(3), reinterpret_cast<const void*>(&atDepth),
                   new_stack);
  // All of this is in the program, down to the C library's own start function
  // or callback.
  for (const v1::Code& code : new_stack.code()) {
    EXPECT_NE(code.id(), 0u);
  }
  ASSERT_GT(new_stack.code_size(), 0);
  EXPECT_NE(new_stack.code(0).binary(), programPath());
}

TEST(CppStackTest, CodeOutsideOfBinariesIsReportedByAddress) {
  const std::uintptr_t addresses[] = {0x1001};
  const v1::Code code = describeCode(findLoadedCode(addresses).front());
  EXPECT_EQ(code.binary(), "");
  EXPECT_EQ(code.offset(), 0x1000u);
}

}  // namespace
}  // namespace traced
