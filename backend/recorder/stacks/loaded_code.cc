#include "recorder/stacks/loaded_code.h"

#include <elf.h>
#include <link.h>
#include <pthread.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <string_view>
#include <system_error>

#include "base/utf8.h"
#include "ring_io/ring/definition_cache.h"

namespace traced {
namespace {

// Held while a recorder thread reads the list and while the process forks.
std::mutex reading;

void beginFork() { reading.lock(); }
void endFork() { reading.unlock(); }

}  // namespace

void visitLoaded(int (*visit)(dl_phdr_info*, std::size_t, void*), void* data) {
  static const int hooked = pthread_atfork(&beginFork, &endFork, &endFork);
  static_cast<void>(hooked);
  const std::lock_guard lock(reading);
  dl_iterate_phdr(visit, data);
}

namespace {

constexpr std::size_t kMaxPathBytes = 512;
constexpr std::size_t kMaxBuildIdBytes = 64;

// The address range of a binary.
struct Range {
  std::uintptr_t begin = UINTPTR_MAX;
  std::uintptr_t end = 0;
  bool holds(std::uintptr_t address) const {
    return begin <= address && address < end;
  }
};

Range rangeOf(const dl_phdr_info& info) {
  Range range;
  for (std::size_t i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info.dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const std::uintptr_t begin = info.dlpi_addr + segment.p_vaddr;
    range.begin = std::min(range.begin, begin);
    range.end = std::max(range.end, begin + segment.p_memsz);
  }
  return range;
}

std::size_t padded(std::size_t bytes) { return (bytes + 3) & ~std::size_t{3}; }

// Finds the build id in one note segment. Bounds every length, because the file
// may be damaged.
std::span<const std::uint8_t> buildIdIn(std::span<const std::uint8_t> notes) {
  ElfW(Nhdr) note;
  while (notes.size() >= sizeof note) {
    std::memcpy(&note, notes.data(), sizeof note);
    notes = notes.subspan(sizeof note);
    const std::size_t name = padded(note.n_namesz);
    const std::size_t content = padded(note.n_descsz);
    if (name > notes.size() || content > notes.size() - name) break;
    const bool is_gnus =
        note.n_namesz == 4 && std::memcmp(notes.data(), "GNU", 4) == 0;
    if (is_gnus && note.n_type == NT_GNU_BUILD_ID) {
      return notes.subspan(
          name, std::min<std::size_t>(note.n_descsz, kMaxBuildIdBytes));
    }
    notes = notes.subspan(name + content);
  }
  return {};
}

std::span<const std::uint8_t> buildIdOf(const dl_phdr_info& info) {
  for (std::size_t i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info.dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const auto id = buildIdIn({reinterpret_cast<const std::uint8_t*>(
                                   info.dlpi_addr + segment.p_vaddr),
                               segment.p_memsz});
    if (!id.empty()) return id;
  }
  return {};
}

// Called under the loader's lock, so it must not allocate.
int findIn(dl_phdr_info* info, std::size_t, void* all) {
  const Range range = rangeOf(*info);
  bool any = false;
  std::span<const std::uint8_t> build_id;
  for (LoadedCode& code : *static_cast<std::vector<LoadedCode>*>(all)) {
    if (!range.holds(code.address - 1)) continue;
    if (!any) build_id = buildIdOf(*info);
    any = true;
    code.path = info->dlpi_name;
    code.base = info->dlpi_addr;
    code.build_id = build_id;
  }
  return 0;
}

std::string lastOf(std::string_view text, std::size_t bytes) {
  return std::string(text.substr(text.size() - std::min(text.size(), bytes)));
}

std::uint64_t idOf(const v1::Code& code) {
  std::string identity = code.binary() + '\0' + code.build_id();
  const std::uint64_t offset = code.offset();
  identity.append(reinterpret_cast<const char*>(&offset), sizeof offset);
  return std::max<std::uint64_t>(
      DefinitionCache::hashOf(identity.data(), identity.size()), 1);
}

}  // namespace

std::vector<LoadedCode> findLoadedCode(
    std::span<const std::uintptr_t> addresses) {
  std::vector<LoadedCode> found(addresses.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    found[i].address = addresses[i];
  }
  visitLoaded(&findIn, &found);
  return found;
}

v1::Code describeCode(const LoadedCode& code) {
  v1::Code described;
  if (code.path) {
    const std::string path = *code.path ? code.path : programPath();
    described.set_binary(toValidUtf8(lastOf(path, kMaxPathBytes)));
    described.set_build_id(code.build_id.data(), code.build_id.size());
  }
  described.set_offset(code.address - 1 - code.base);
  described.set_id(idOf(described));
  return described;
}

const std::string& programPath() {
  // Never destroyed, because threads that outlive main() read it.
  static const auto* const path = [] {
    std::error_code error;
    return new std::string(
        std::filesystem::read_symlink("/proc/self/exe", error).string());
  }();
  return *path;
}

}  // namespace traced
