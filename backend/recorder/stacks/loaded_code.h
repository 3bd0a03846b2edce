// LoadedCode is where addresses of code lie among the binaries that are loaded.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "traced/v1/definitions.pb.h"

namespace traced {

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
