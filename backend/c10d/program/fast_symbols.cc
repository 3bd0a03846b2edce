#include "c10d/program/fast_symbols.h"

// Only its headers: what libtorch exports reads code by its address, which
// shares unguarded state with who unwinds meanwhile.
#define FMT_HEADER_ONLY
#include <torch/csrc/profiler/unwind/fast_symbolizer.h>

namespace traced {
namespace {

constexpr char kUnknown[] = "??";

class FastSymbols final : public SymbolReader {
 public:
  void read(const std::string& binary, std::span<v1::Code* const> calls,
            const std::atomic<bool>& given_up) override {
    for (v1::Code* const call : calls) {
      if (given_up) return;
      const auto found = symbolizer_.symbolize(binary, call->offset());
      if (found.funcname == kUnknown) continue;
      call->set_function(readableName(found.funcname));
      // Without a line it says the binary and the offset in its place.
      if (found.filename == binary) continue;
      setLine(*call, found.filename, found.lineno);
    }
  }

 private:
  // Keeps what it has read of each binary.
  torch::unwind::FastSymbolizer symbolizer_;
};

}  // namespace

std::unique_ptr<SymbolReader> fastSymbolReader() {
  return std::make_unique<FastSymbols>();
}

}  // namespace traced
