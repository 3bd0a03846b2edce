// SymbolReader looks up what code is called. Slow: for a thread that nobody
// waits for.

#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "traced/v1/definitions.pb.h"

namespace traced {

class SymbolReader {
 public:
  virtual ~SymbolReader() = default;
  // Sets the functions of calls in one binary, as far as it knows.
  // May throw, and end early when it is given up.
  virtual void read(const std::string& binary, std::span<v1::Code* const> calls,
                    const std::atomic<bool>& given_up) = 0;
};

// Asks the loader, which knows what libraries export.
std::unique_ptr<SymbolReader> dladdrReader();

// What a function is called in C++, cut to 512 bytes.
std::string readableName(std::string_view symbol);

}  // namespace traced
