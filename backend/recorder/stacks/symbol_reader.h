// SymbolReader looks up what code is called, and on which line it is. Slow: for
// a thread that nobody waits for.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "recorder/settings/options.h"
#include "traced/v1/definitions.pb.h"

namespace traced {

class SymbolReader {
 public:
  virtual ~SymbolReader() = default;
  // Sets function, file and line of calls in one binary, as far as it knows.
  // May throw, and end early when it is given up.
  virtual void read(const std::string& binary, std::span<v1::Code* const> calls,
                    const std::atomic<bool>& given_up) = 0;
};

using SymbolReaders = std::vector<std::unique_ptr<SymbolReader>>;

// Those to be asked one after the other, until one knows.
SymbolReaders symbolReaders(SymbolizeMode mode);

std::unique_ptr<SymbolReader> dladdrReader();

// Who makes the reader of the mode `fast`, which is torch's.
using MakeSymbolReader = std::unique_ptr<SymbolReader> (*)();
void setFastSymbolReader(MakeSymbolReader make) noexcept;

// Of a file's name the last 256 bytes are told.
void setLine(v1::Code& call, std::string_view file, std::uint64_t line);

// What a function is called in C++, cut to 512 bytes.
std::string readableName(std::string_view symbol);

}  // namespace traced
