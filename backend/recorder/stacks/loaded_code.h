// What code is loaded, as the loader tells.

#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "traced/v1/definitions.pb.h"

namespace traced {

// Reads the loader's list, as dl_iterate_phdr(), but never while this process
// forks. glibc (2.36 at least) leaves the lock of the list in the child as it
// is, and in the child nobody opens what one of our threads has locked: whoever
// then loads a library waits for ever.
void visitLoaded(int (*visit)(dl_phdr_info*, std::size_t, void*), void* data);

// LoadedCode is where addresses of code lie among the binaries that are loaded.
//
// What is pointed to is good for as long as the binary stays loaded.
struct LoadedCode {
  // One past the call, as return addresses are.
  std::uintptr_t address = 0;
  // nullptr: no binary holds it. "": the program itself.
  const char* path = nullptr;
  // What is added to the addresses that the binary's own tables have.
  std::uintptr_t base = 0;
  std::span<const std::uint8_t> build_id;
};

// One for each address, in their order.
std::vector<LoadedCode> findLoadedCode(
    std::span<const std::uintptr_t> addresses);

// In words, as far as is known without looking up names.
v1::Code describeCode(const LoadedCode& code);

// The path of the program.
const std::string& programPath();

}  // namespace traced
