// Replaces libFuzzer to replay inputs: passes each file, and each file in the
// given directories, to the target.

#include <filesystem>
#include <iostream>
#include <vector>

#include "fuzz/target.h"
#include "support/trace_file.h"

namespace fs = std::filesystem;

std::size_t LLVMFuzzerMutate(std::uint8_t*, std::size_t size, std::size_t) {
  return size;
}

int main(int argc, char** argv) {
  std::vector<fs::path> files;
  for (int i = 1; i < argc; ++i) {
    if (!fs::exists(argv[i])) continue;
    if (!fs::is_directory(argv[i])) {
      files.emplace_back(argv[i]);
      continue;
    }
    for (const auto& entry : fs::directory_iterator(argv[i])) {
      files.push_back(entry.path());
    }
  }
  for (const fs::path& file : files) {
    std::cerr << file.string() << std::endl;
    const std::string bytes = traced::testing::readFile(file);
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                           bytes.size());
  }
  std::cout << files.size() << " inputs\n";
  // Fails without inputs, because the target would not be tested.
  return files.empty();
}
