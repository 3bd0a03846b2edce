#include "recorder/stacks/symbol_reader.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>

#include "base/utf8.h"

namespace traced {
namespace {

constexpr std::size_t kMaxNameBytes = 512;
constexpr std::size_t kMaxFileBytes = 256;

std::atomic<MakeSymbolReader> make_fast_reader{nullptr};

struct Free {
  void operator()(char* text) const { std::free(text); }
};

}  // namespace

SymbolReaders symbolReaders(SymbolizeMode mode) {
  SymbolReaders readers;
  const MakeSymbolReader make_fast = make_fast_reader.load();
  if (mode == SymbolizeMode::kFast && make_fast) readers.push_back(make_fast());
  readers.push_back(dladdrReader());
  return readers;
}

void setFastSymbolReader(MakeSymbolReader make) noexcept {
  make_fast_reader.store(make);
}

void setLine(v1::Code& call, std::string_view file, std::uint64_t line) {
  const std::size_t cut = file.size() - std::min(file.size(), kMaxFileBytes);
  call.set_file(toValidUtf8(file.substr(cut)));
  call.set_line(
      static_cast<std::uint32_t>(std::min<std::uint64_t>(line, UINT32_MAX)));
}

std::string readableName(std::string_view symbol) {
  const std::string name(symbol);
  int status = 0;
  const std::unique_ptr<char, Free> demangled(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status));
  const std::string_view whole = demangled ? demangled.get() : symbol;
  return toValidUtf8(whole.substr(0, kMaxNameBytes));
}

}  // namespace traced
