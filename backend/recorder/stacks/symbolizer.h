// Symbolizer looks up function names for recorded C++ stacks on its own thread.
// A lookup may take seconds and may wait for a lock of the loader. The thread
// starts with the first request.
//
// Not thread safe: one thread calls all functions.

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
  // Abandons pending lookups. The thread ends once it notices.
  ~Symbolizer();
  Symbolizer(const Symbolizer&) = delete;
  Symbolizer& operator=(const Symbolizer&) = delete;

  // Requests the name of `code`. Never blocks. Throws if the thread cannot
  // start.
  void ask(v1::Code code);

  // Returns the code named since the previous call. Never blocks.
  std::vector<v1::Code> take();
  // Like take(), but waits for pending lookups until the timeout. Call it
  // last.
  std::vector<v1::Code> finish(std::chrono::milliseconds timeout);

 private:
  struct State;
  const std::shared_ptr<State> state_;
};

}  // namespace traced
