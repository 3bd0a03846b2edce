// Where the threads of a process stood when it communicated nothing, from the
// samples of its trace.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/stream/standing_kind.h"
#include "analysis/stream/stream_table.h"

namespace traced {

struct ThreadStanding {
  // Kernel thread id.
  std::uint32_t tid = 0;
  bool is_main = false;
  // It issued the last operation of the process.
  bool issued_last = false;
  StandingKind kind = StandingKind::kUnknown;
  v1::StackReading reading = v1::STACK_READING_UNSPECIFIED;
  // Python frames, innermost first, and the number of further ones. Empty if
  // the thread runs no Python or its stack was not read.
  std::vector<v1::Frame> frames;
  std::uint32_t cut = 0;
  // The line of the program that it is in, such as "/job/train.py:12 in main",
  // and the innermost line if that is another; "" if unknown.
  std::string site;
  std::string innermost;
  // The exception that it handles: "ValueError: x, raised at ..."; "" if none.
  std::string handling;
  // The system call that it waits in, and its file: "write /scratch/x"; "" if
  // none or unknown.
  std::string waits_in;
  // The state letter of proc(5). 0: unknown.
  char state = 0;
  // A garbage collection was under way in the process.
  bool collects = false;
  // Number of samples in a row with the same kind, lines and system call, up to
  // the latest one, and the time between the first and the latest of them.
  std::uint32_t samples = 0;
  std::uint64_t stood_ns = 0;
  // Time from the latest sample to the end of the trace.
  std::uint64_t before_end_ns = 0;
  // Processor time that the thread used in `stood_ns`. Absent if unknown.
  std::optional<std::uint64_t> cpu_ns;
  // If it waits for the interpreter lock: where the holder stood, "" if
  // unknown.
  std::string gil_holder;
};

// Returns the threads of the latest sample, the main thread first. Empty if the
// process closed its trace, or if no sample was taken after the last operation,
// step or function of torch.distributed, and after the last wait ended.
std::vector<ThreadStanding> standingsAtEnd(const StreamTable& table);

}  // namespace traced
