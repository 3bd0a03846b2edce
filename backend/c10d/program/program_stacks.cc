#include "c10d/program/program_stacks.h"

#include <torch/csrc/utils/pybind.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/utf8.h"
#include "c10d/program/code_kinds.h"
#include "c10d/program/describe_frame.h"
#include "c10d/program/handled_exception.h"
#include "c10d/program/python_frames.h"
#include "recorder/stacks/cpp_stack.h"
#include "recorder/stacks/stack_budget.h"
#include "recorder/stacks/stack_source.h"
#include "ring_io/ring/definition_cache.h"

namespace py = pybind11;

namespace traced {
namespace {

// Frames are read only inside a Reading, and never once the interpreter exits:
// it frees the frames of threads that still run.
class Reading {
 public:
  Reading() { readers.fetch_add(1); }
  ~Reading() { readers.fetch_sub(1, std::memory_order_release); }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  bool allowed() const { return !ended.load(); }

  // Forbids reading from now on. Waits up to 100 ms for current readers.
  static void end() noexcept {
    using namespace std::chrono_literals;
    ended.store(true);
    const auto deadline = std::chrono::steady_clock::now() + 100ms;
    while (readers.load() > 0 && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::yield();
    }
  }

 private:
  static std::atomic<bool> ended;
  static std::atomic<int> readers;
};
std::atomic<bool> Reading::ended{false};
std::atomic<int> Reading::readers{0};

class ProgramStacks final : public StackSource {
 public:
  explicit ProgramStacks(StackOptions options)
      : options_(options), python_(options.python) {}

  std::uint64_t identity() noexcept override {
    const std::uint64_t python = identityInPython();
    if (!options_.cpp) return python;
    const CppStack& stack = cppStackHere();
    if (stack.count == 0) return python;
    const std::uint64_t parts[] = {python, stack.hash, unloads()};
    return std::max<std::uint64_t>(DefinitionCache::hashOf(parts, sizeof parts),
                                   1);
  }

  std::string describe() noexcept override {
    const std::int64_t now_ns = nowNs();
    if (canBeCut() && !budget_.hasRoom(now_ns)) return "";
    const std::string words = describeAll();
    if (canBeCut()) budget_.spend(words.size(), now_ns);
    return words;
  }

  std::uint64_t cutIdentity() noexcept override {
    const Reading reading;
    if (!canBeCut() || !reading.allowed()) return 0;
    const Site site = siteHere();
    if (!site.program.code && !site.package.code) return 0;
    const KnownBy known[] = {{freedCodes(), depthHere()},
                             knownBy(site.program),
                             knownBy(site.package),
                             {0, options_.cpp}};
    return withException(identityOf(known, std::size(known)), pythonThread());
  }

  std::string describeCut() noexcept override {
    try {
      v1::NewStack new_stack;
      v1::Stack& stack = *new_stack.mutable_stack();
      const Reading reading;
      if (python_.load(std::memory_order_relaxed) == StackMode::kOff ||
          !reading.allowed()) {
        return "";
      }
      readSite(stack);
      if (stack.frame_size() == 0) return "";
      readException(stack);
      const auto depth = static_cast<std::uint32_t>(depthHere());
      const auto kept = static_cast<std::uint32_t>(stack.frame_size());
      if (python_.load(std::memory_order_relaxed) == StackMode::kFull) {
        stack.set_cut(std::max(depth, kept) - kept);
      }
      stack.set_cpp_cut(options_.cpp);
      return new_stack.SerializeAsString();
    } catch (const std::bad_alloc&) {
      return "";
    }
  }

  std::string describeAll() noexcept {
    try {
      v1::NewStack new_stack;
      *new_stack.mutable_stack() = readPython();
      if (options_.cpp) {
        // Omits this library's own frames.
        describeCppStack(cppStackHere(), &own_code, new_stack);
      }
      const bool any = new_stack.stack().frame_size() > 0 ||
                       new_stack.stack().cpp_size() > 0;
      return any ? new_stack.SerializeAsString() : "";
    } catch (const std::bad_alloc&) {
      return "";
    }
  }

  bool switchPython(StackMode mode) noexcept override {
    // The folders that classify code are known only if stacks were enabled
    // initially.
    if (options_.python == StackMode::kOff) return mode == StackMode::kOff;
    python_.store(mode, std::memory_order_relaxed);
    return true;
  }

  v1::Stack readPython() {
    v1::Stack stack;
    const Reading reading;
    const StackMode mode = python_.load(std::memory_order_relaxed);
    if (mode == StackMode::kOff || !reading.allowed()) return stack;
    if (mode == StackMode::kFull) {
      readAll(stack);
    } else {
      readSite(stack);
    }
    if (stack.frame_size() > 0) readException(stack);
    return stack;
  }

  // The options at construction.
  const StackOptions& options() const { return options_; }

 private:
  // Returns whether a stack holds more than its call site. Call sites are few
  // and need no budget.
  bool canBeCut() const noexcept {
    const StackMode mode = python_.load(std::memory_order_relaxed);
    return mode == StackMode::kFull ||
           (options_.cpp && mode != StackMode::kOff);
  }

  static std::size_t depthHere() noexcept {
    PythonFrames frames;
    PythonFrame frame;
    std::size_t depth = 0;
    while (depth < kMaxDepth && frames.next(frame)) ++depth;
    return depth;
  }

  std::uint64_t identityInPython() const noexcept {
    const StackMode mode = python_.load(std::memory_order_relaxed);
    if (mode == StackMode::kOff) return 0;
    const Reading reading;
    if (!reading.allowed()) return 0;
    const _ts* const thread = pythonThread();
    const std::uint64_t stack = mode == StackMode::kFull
                                    ? identityOfStack(thread)
                                    : identityOfSite(thread);
    return stack == 0 ? 0 : withException(stack, thread);
  }

  // Combines the identity of a stack with the exception that is handled, if
  // any.
  static std::uint64_t withException(std::uint64_t stack,
                                     const _ts* thread) noexcept {
    HandledException handled(thread);
    if (!handled.any()) [[likely]]
      return stack;
    const std::string_view type = handled.type().substr(0, kMaxTypeBytes);
    const KnownBy known[] = {
        {stack, DefinitionCache::hashOf(type.data(), type.size())},
        knownBy(raisedAt(handled))};
    return identityOf(known, std::size(known));
  }

  // Returns the innermost frame of the program's own code in the traceback, or
  // else its innermost frame.
  static PythonFrame raisedAt(HandledException& handled) noexcept {
    PythonFrame own, innermost;
    for (std::size_t depth = 0; depth < kMaxDepth && handled.next(innermost);
         ++depth) {
      if (kindOf(*innermost.code) == CodeKind::kProgram) own = innermost;
    }
    return own.code ? own : innermost;
  }

  static void readException(v1::Stack& stack) {
    HandledException handled;
    if (!handled.any()) return;
    v1::HandledException& described = *stack.mutable_handling();
    described.set_type(toValidUtf8(handled.type().substr(0, kMaxTypeBytes)));
    const PythonFrame raised = raisedAt(handled);
    if (raised.code) fillFrame(raised, *described.mutable_raised());
  }

  // The program's call site, and the nearest package between it and the
  // operation.
  struct Site {
    PythonFrame program;
    PythonFrame package;
  };

  static Site siteHere(const _ts* thread = pythonThread()) noexcept {
    Site site;
    PythonFrames frames(thread);
    PythonFrame frame;
    for (std::size_t depth = 0; depth < kMaxDepth && frames.next(frame);
         ++depth) {
      const CodeKind kind = kindOf(*frame.code);
      if (kind == CodeKind::kProgram) {
        site.program = frame;
        break;
      }
      if (kind == CodeKind::kPackage && !site.package.code) {
        site.package = frame;
      }
    }
    return site;
  }

  static void readSite(v1::Stack& stack) {
    const Site site = siteHere();
    if (site.package.code) fillFrame(site.package, *stack.add_frame());
    if (site.program.code) fillFrame(site.program, *stack.add_frame());
    stack.set_site(static_cast<std::uint32_t>(stack.frame_size()));
    if (stack.site() == 2) stack.set_package(1);
  }

  static void readAll(v1::Stack& stack) {
    PythonFrames frames;
    PythonFrame frame;
    for (std::size_t depth = 0; depth < kMaxDepth && frames.next(frame);
         ++depth) {
      if (stack.frame_size() == kMaxFrames) {
        stack.set_cut(stack.cut() + 1);
        continue;
      }
      fillFrame(frame, *stack.add_frame());
      noteKind(kindOf(*frame.code), stack);
    }
    settleSite(stack);
  }

  struct KnownBy {
    std::uint64_t code;
    std::uint64_t instruction;
  };
  static KnownBy knownBy(const PythonFrame& frame) {
    return {reinterpret_cast<std::uintptr_t>(frame.code),
            static_cast<std::uint64_t>(frame.instruction)};
  }

  static std::uint64_t identityOf(const KnownBy* known, std::size_t count) {
    const std::uint64_t hash =
        DefinitionCache::hashOf(known, count * sizeof *known);
    return std::max<std::uint64_t>(hash, 1);
  }

  static std::uint64_t identityOfSite(const _ts* thread) noexcept {
    const Site site = siteHere(thread);
    if (!site.program.code && !site.package.code) return 0;
    const KnownBy known[] = {
        {freedCodes(), 0}, knownBy(site.program), knownBy(site.package)};
    return identityOf(known, std::size(known));
  }

  static std::uint64_t identityOfStack(const _ts* thread) noexcept {
    KnownBy known[kMaxFrames + 1];
    PythonFrames frames(thread);
    PythonFrame frame;
    std::size_t depth = 0;
    for (; depth < kMaxDepth && frames.next(frame); ++depth) {
      if (depth < kMaxFrames) known[depth + 1] = knownBy(frame);
    }
    if (depth == 0) return 0;
    known[0] = {freedCodes(), depth};
    return identityOf(known, std::min(depth, kMaxFrames) + 1);
  }

  static void fillFrame(const PythonFrame& frame, v1::Frame& described) {
    noteReported(*frame.code);
    describeFrame(*frame.code, frame.instruction, described);
  }

  StackBudget budget_;
  const StackOptions options_;
  std::atomic<StackMode> python_;
  // An address inside this library.
  static const char own_code;
};
const char ProgramStacks::own_code = 0;

// Guarded by the GIL.
ProgramStacks* program_stacks = nullptr;

void beginToReadPython(const std::vector<CodeFolder>& folders) {
  static bool begun = false;
  if (std::exchange(begun, true)) return;
  watchCode(folders);
  py::module_::import("atexit").attr("register")(
      py::cpp_function(&Reading::end));
}

}  // namespace

bool recordStacks(StackOptions wanted, const std::vector<CodeFolder>& folders) {
  const bool is_python_known =
      wanted.python == StackMode::kOff || readsPythonFrames();
  if (!is_python_known) wanted.python = StackMode::kOff;
  if (wanted.python != StackMode::kOff) beginToReadPython(folders);
  if (wanted == StackOptions{}) {
    setStackSource(nullptr);
    return is_python_known;
  }
  if (!program_stacks || program_stacks->options() != wanted) {
    program_stacks = new ProgramStacks(wanted);
  }
  setStackSource(program_stacks);
  return is_python_known;
}

v1::Stack pythonStack() {
  return program_stacks ? program_stacks->readPython() : v1::Stack();
}

}  // namespace traced
