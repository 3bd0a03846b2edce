// Finds the binary that contains a code address.

#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "traced/v1/definitions.pb.h"

namespace traced {

// Calls dl_iterate_phdr(), but never while this process forks: each waits for
// the other. glibc (at least 2.36) copies the list's lock into the child in its
// current state. If a recorder thread holds it at that moment, the child
// deadlocks when it loads a library.
void visitLoaded(int (*visit)(dl_phdr_info*, std::size_t, void*), void* data);

// LoadedCode locates a code address within a loaded binary.
//
// Its pointers are valid while the binary stays loaded.
struct LoadedCode {
  // A return address, which is one past the call.
  std::uintptr_t address = 0;
  // nullptr: not in any binary. "": the program itself.
  const char* path = nullptr;
  // Load bias: the difference to the addresses in the binary's own tables.
  std::uintptr_t base = 0;
  std::span<const std::uint8_t> build_id;
};

// Returns one entry per address, in the same order.
std::vector<LoadedCode> findLoadedCode(
    std::span<const std::uintptr_t> addresses);

// Describes code as far as possible without looking up names.
v1::Code describeCode(const LoadedCode& code);

// Returns the path of the program.
const std::string& programPath();

}  // namespace traced
