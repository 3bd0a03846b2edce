#include "c10d/program/other_threads.h"

#include <memory>
#include <utility>

#include "c10d/program/copied_stack.h"
#include "c10d/program/interpreter_layout.h"
#include "c10d/program/own_memory.h"

namespace traced {
namespace {

// Whether Python stores the kernel ids of all threads.
constexpr bool kKnowsTids = PY_VERSION_HEX >= 0x030b0000;
// A damaged list of threads may have no end.
constexpr int kMaxThreads = 4096;

// Calls visit(kernel id, copy of the state) for the main thread and the others,
// until it returns true. Returns false if the list could not be read to its
// end.
template <typename Visit>
bool visitThreads(const PyThreadState* main_thread, Visit visit) {
  PyThreadState thread;
  if (!copyObject(main_thread, thread)) return false;
  const PyThreadState* const neighbours[] = {thread.prev, thread.next};
  // After a fork, Python 3.11 still stores the id of the parent's thread.
  if (visit(getpid(), std::as_const(thread))) return true;
  for (const bool towards_next : {false, true}) {
    const PyThreadState* at = neighbours[towards_next];
    for (int i = 0; at && i < kMaxThreads; ++i) {
      if (!copyObject(at, thread)) return false;
      if (visit(layout::tidOf(thread), std::as_const(thread))) return true;
      at = towards_next ? thread.next : thread.prev;
    }
    if (at) return false;
  }
  return true;
}

// Returns the state of the main thread, or nullptr. Needs the GIL.
const PyThreadState* findMainThread() {
  if (gettid() == getpid()) return PyThreadState_Get();
  PyThreadState* thread =
      PyInterpreterState_ThreadHead(PyInterpreterState_Main());
  while (thread && layout::tidOf(*thread) != getpid()) {
    thread = PyThreadState_Next(thread);
  }
  return thread;
}

}  // namespace

Result<std::unique_ptr<OtherThreads>> OtherThreads::create(
    std::vector<CodeFolder> folders) {
  const PyThreadState* const main_thread = findMainThread();
  if (!readsPythonFrames()) {
    return Error{"this version of Python is not supported"};
  }
  if (!main_thread) return Error{"the main thread was not found"};
  if (!canCopyMemory()) return Error{"/proc/self/mem cannot be read"};
  const PyInterpreterState* const interpreter = PyInterpreterState_Main();
  return std::unique_ptr<OtherThreads>(
      new OtherThreads(std::move(folders), main_thread,
                       layout::fits(*interpreter) ? interpreter : nullptr));
}

OtherThreads::OtherThreads(std::vector<CodeFolder> folders,
                           const _ts* main_thread, const _is* interpreter)
    : kinds_(std::move(folders)),
      main_thread_(main_thread),
      interpreter_(interpreter) {}

std::vector<std::int64_t> OtherThreads::all() {
  const OwnMemory memory;
  std::vector<std::int64_t> tids;
  visitThreads(main_thread_, [&tids](std::int64_t tid, const auto&) {
    if (tid != 0) tids.push_back(tid);
    return false;
  });
  return tids;
}

std::optional<v1::Stack> OtherThreads::stackOf(std::int64_t tid) {
  const OwnMemory memory;
  std::optional<v1::Stack> stack;
  bool is_known = false;
  const bool read_all = visitThreads(
      main_thread_, [&](std::int64_t its_tid, const PyThreadState& thread) {
        is_known = its_tid == tid;
        if (is_known) stack = copiedStack(thread, kinds_);
        return is_known;
      });
  // A thread that Python does not know runs no Python.
  if (read_all && !is_known && kKnowsTids) stack.emplace();
  return stack;
}

InterpreterState OtherThreads::interpreter() {
  const OwnMemory memory;
  InterpreterState state;
  if (!interpreter_) return state;
  int collecting = 0;
  state.collects = copyObject(layout::collectingAt(interpreter_), collecting) &&
                   collecting == 1;
  layout::Gil gil;
  PyThreadState holder;
  if (!copyObject(layout::gilOf(*interpreter_), gil) ||
      !copyObject(layout::holderOf(gil), holder)) {
    return state;
  }
  state.gil_holder =
      layout::holderOf(gil) == main_thread_ ? getpid() : layout::tidOf(holder);
  return state;
}

bool OtherThreads::isGil(std::uint64_t address) {
  if (!interpreter_) return false;
  const auto begin =
      reinterpret_cast<std::uintptr_t>(layout::gilOf(*interpreter_));
  return address >= begin && address - begin < sizeof(layout::Gil);
}

}  // namespace traced
