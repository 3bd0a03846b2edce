// Symbolizer names the C++ code of recorded stacks, on a thread of its own: to
// look a name up may take seconds, and may wait for a lock of the loader's. It
// begins with the first that is asked for.
//
// Thread safety: one thread asks and takes.

#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "recorder/stacks/symbol_reader.h"
#include "traced/v1/definitions.pb.h"

namespace traced {

class Symbolizer {
 public:
  explicit Symbolizer(std::unique_ptr<SymbolReader> reader);
  // Gives up what is under way; the thread ends when it notices.
  ~Symbolizer();
  Symbolizer(const Symbolizer&) = delete;
  Symbolizer& operator=(const Symbolizer&) = delete;

  // Has the code named. Never waits. Throws where no thread can be had.
  void ask(v1::Code code);

  // What was named since the last call. Never waits.
  std::vector<v1::Code> take();
  // The same, at the end: waits for what was asked for, at most so long.
  std::vector<v1::Code> finish(std::chrono::milliseconds deadline);

 private:
  struct State;
  const std::shared_ptr<State> state_;
};

}  // namespace traced
