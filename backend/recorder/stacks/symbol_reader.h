// SymbolReader looks up function names of code addresses. It is slow, so it
// runs on a thread that nothing waits for.

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
  // Sets the function names of calls in one binary, as far as known. May throw.
  // Returns early once `given_up` is set.
  virtual void read(const std::string& binary, std::span<v1::Code* const> calls,
                    const std::atomic<bool>& given_up) = 0;
};

// Returns a reader that asks the loader, which knows exported symbols.
std::unique_ptr<SymbolReader> dladdrReader();

// Returns the demangled C++ name, cut to 512 bytes.
std::string readableName(std::string_view symbol);

}  // namespace traced
