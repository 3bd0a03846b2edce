#include "recorder/stacks/symbol_reader.h"

#include <cxxabi.h>

#include <cstdlib>

#include "base/utf8.h"

namespace traced {
namespace {

constexpr std::size_t kMaxNameBytes = 512;

struct Free {
  void operator()(char* text) const { std::free(text); }
};

}  // namespace

std::string readableName(std::string_view symbol) {
  const std::string name(symbol);
  int status = 0;
  const std::unique_ptr<char, Free> demangled(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status));
  const std::string_view whole = demangled ? demangled.get() : symbol;
  return toValidUtf8(whole.substr(0, kMaxNameBytes));
}

}  // namespace traced
