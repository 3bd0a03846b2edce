#include "recorder/stacks/symbol_reader.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <link.h>

#include <cstdint>
#include <cstdlib>

#include "base/utf8.h"
#include "recorder/stacks/loaded_code.h"

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

namespace {

// Keeps a loaded library loaded.
class Library {
 public:
  explicit Library(const std::string& path)
      : handle_(path == programPath()
                    ? dlopen(nullptr, RTLD_LAZY)
                    : dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD)) {}
  ~Library() {
    if (handle_) dlclose(handle_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  const link_map* map() const {
    link_map* map = nullptr;
    const bool known = handle_ && dlinfo(handle_, RTLD_DI_LINKMAP, &map) == 0;
    return known ? map : nullptr;
  }

 private:
  void* const handle_;
};

class Dladdr final : public SymbolReader {
 public:
  void read(const std::string& binary, std::span<v1::Code* const> calls,
            const std::atomic<bool>& given_up) override {
    const Library library(binary);
    const link_map* map = library.map();
    for (v1::Code* const call : calls) {
      if (!map || given_up) return;
      const std::uintptr_t address = map->l_addr + call->offset();
      const std::uintptr_t returns_to[] = {address + 1};
      // Another build may have replaced the file.
      const LoadedCode found = findLoadedCode(returns_to).front();
      if (describeCode(found).id() != call->id()) continue;
      Dl_info info;
      const auto* at = reinterpret_cast<const void*>(address);
      if (dladdr(at, &info) == 0 || !info.dli_sname) continue;
      call->set_function(readableName(info.dli_sname));
    }
  }
};

}  // namespace

std::unique_ptr<SymbolReader> dladdrReader() {
  return std::make_unique<Dladdr>();
}

}  // namespace traced
