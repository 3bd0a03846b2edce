// Reads the Python stacks of other threads of this process, while they run.
//
// It needs no GIL, sends no signal and changes nothing. Everything is copied
// (own_memory) and checked. Python 3.10 does not reveal which thread is which,
// except for the main thread, so there it reads only that one.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "c10d/program/code_kinds.h"
#include "recorder/standstill/python_threads.h"

struct _is;
struct _ts;

namespace traced {

class OtherThreads final : public PythonThreads {
 public:
  // `folders` classify the code. The error says why stacks cannot be read: this
  // Python's frames are unknown, or the kernel forbids it. Needs the GIL, in a
  // thread that runs Python. May throw std::bad_alloc.
  static Result<std::unique_ptr<OtherThreads>> create(
      std::vector<CodeFolder> folders);

  std::vector<std::int64_t> all() override;
  std::optional<v1::Stack> stackOf(std::int64_t tid) override;
  InterpreterState interpreter() override;
  bool isGil(std::uint64_t address) override;

 private:
  OtherThreads(std::vector<CodeFolder> folders, const _ts* main_thread,
               const _is* interpreter);

  const CodeKinds kinds_;
  // The main thread's state. It lives until Python has ended.
  const _ts* const main_thread_;
  // nullptr: its layout is unknown.
  const _is* const interpreter_;
};

}  // namespace traced
