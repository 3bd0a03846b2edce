#include "recorder/stacks/cpp_stack.h"

#include <link.h>
#include <unwind.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "recorder/stacks/loaded_code.h"
#include "ring_io/ring/definition_cache.h"

namespace traced {
namespace {

// Number of cached stacks per thread. A new one replaces another.
constexpr std::size_t kRemembered = 32;

std::atomic<std::uint64_t> unload_count{0};

// Reads may hit the red zones between variables, which AddressSanitizer would
// report.
#define TRACED_READS_STACK [[gnu::no_sanitize_address]]

// A stack and the memory words from which it was unwound.
class FoundStack {
 public:
  // Returns whether the thread, now at `frame`, has exactly this stack. Reads
  // what the unwinder would read, from the innermost frame outwards: each
  // return address and saved frame pointer locates the next.
  TRACED_READS_STACK bool isAt(std::uintptr_t frame) const noexcept {
    if (frame_ != frame) return false;
    for (std::size_t i = 0; i < words_count_; ++i) {
      if (*words_[i].place != words_[i].value) return false;
    }
    return true;
  }

  void unwindFrom(std::uintptr_t frame) noexcept {
    stack_.count = 0;
    stack_.cut = false;
    words_count_ = 0;
    frame_ = inside_ = frame_pointer_ = frame;
    can_be_read_ = kIsKnownProcessor;
    _Unwind_Backtrace(&addFrame, this);
    if (!can_be_read_) frame_ = 0;  // unwound again each time
    stack_.hash = DefinitionCache::hashOf(
        stack_.addresses.data(), stack_.count * sizeof stack_.addresses[0]);
  }

  const CppStack& stack() const { return stack_; }

 private:
#ifdef __x86_64__
  static constexpr bool kIsKnownProcessor = true;
#else
  static constexpr bool kIsKnownProcessor = false;
#endif
  static constexpr int kFramePointer = 6;  // its DWARF number on x86-64
  // Maximum number of registers that a function saves below its return address.
  static constexpr std::uintptr_t kSavedRegisters = 6;

  using Word = const volatile std::uintptr_t;
  static Word* wordAt(std::uintptr_t address) {
    return reinterpret_cast<Word*>(address);
  }

  static _Unwind_Reason_Code addFrame(_Unwind_Context* context, void* found) {
    return static_cast<FoundStack*>(found)->add(*context);
  }

  _Unwind_Reason_Code add(_Unwind_Context& context) noexcept {
    // The stack pointer of the frame after its call (CFA).
    const std::uintptr_t at = _Unwind_GetCFA(&context);
    // frames of this function and the unwinder
    if (at <= frame_) return _URC_NO_REASON;
    const std::uintptr_t address = _Unwind_GetIP(&context);
    if (address == 0) return _URC_END_OF_STACK;
    if (stack_.count == CppStack::kMaxFrames) {
      stack_.cut = true;
      return _URC_END_OF_STACK;
    }
    stack_.addresses[stack_.count++] = address;
    if (can_be_read_) {
      can_be_read_ =
          addReturnAddress(at, address) &&
          addFramePointer(at, _Unwind_GetGR(&context, kFramePointer));
    }
    inside_ = at;
    return _URC_NO_REASON;
  }

  TRACED_READS_STACK bool addReturnAddress(std::uintptr_t at,
                                           std::uintptr_t address) noexcept {
    Word* const place = wordAt(at) - 1;
    words_[words_count_++] = {place, address};
    return *place == address;
  }

  // Finds where the called function saved the frame pointer, from which the
  // caller's frame may be computed. A function need not save it.
  TRACED_READS_STACK bool addFramePointer(std::uintptr_t at,
                                          std::uintptr_t value) noexcept {
    const bool was_saved = value != std::exchange(frame_pointer_, value);
    Word* place = wordAt(at) - 2;
    for (std::size_t i = 0; i < kSavedRegisters; ++i, --place) {
      if (place < wordAt(inside_)) break;
      if (*place != value) continue;
      words_[words_count_++] = {place, value};
      return true;
    }
    return !was_saved;
  }

  std::uintptr_t frame_ = 0;
  CppStack stack_;
  struct {
    Word* place;
    std::uintptr_t value;
  } words_[2 * CppStack::kMaxFrames];
  std::size_t words_count_ = 0;

  // During unwinding: values of the frame added last.
  std::uintptr_t inside_ = 0;
  std::uintptr_t frame_pointer_ = 0;
  bool can_be_read_ = false;
};

// A thread's cache, allocated at first use.
struct Memory {
  FoundStack& at(std::uintptr_t frame) noexcept {
    return stacks[DefinitionCache::hashOf(&frame, sizeof frame) % kRemembered];
  }
  std::array<FoundStack, kRemembered> stacks;
};
thread_local std::unique_ptr<Memory> memory_of_thread;

const CppStack no_stack{};

}  // namespace

[[gnu::noinline]] const CppStack& cppStackHere() noexcept {
  const auto frame =
      reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (!memory_of_thread) {
    memory_of_thread.reset(new (std::nothrow) Memory);
    if (!memory_of_thread) return no_stack;
  }
  FoundStack& found = memory_of_thread->at(frame);
  if (!found.isAt(frame)) found.unwindFrom(frame);
  return found.stack();
}

std::uint64_t unloads() noexcept {
  return unload_count.load(std::memory_order_relaxed);
}

void countUnloads() noexcept {
  visitLoaded(
      [](dl_phdr_info* info, std::size_t, void*) {
        unload_count.store(info->dlpi_subs, std::memory_order_relaxed);
        return 1;
      },
      nullptr);
}

void describeCppStack(const CppStack& stack, const void* own,
                      v1::NewStack& new_stack) {
  std::vector<std::uintptr_t> addresses(stack.frames().begin(),
                                        stack.frames().end());
  addresses.push_back(reinterpret_cast<std::uintptr_t>(own));
  const std::vector<LoadedCode> found = findLoadedCode(addresses);
  const LoadedCode& of_own = found.back();
  const auto isOwn = [&](const LoadedCode& code) {
    return own && code.path && code.base == of_own.base;
  };
  const auto end = found.end() - 1;
  auto at = std::find_if_not(found.begin(), end, isOwn);
  for (; at != end; ++at) {
    const v1::Code code = describeCode(*at);
    new_stack.mutable_stack()->add_cpp(code.id());
    *new_stack.add_code() = code;
  }
  new_stack.mutable_stack()->set_cpp_cut(stack.cut);
}

}  // namespace traced
