// Writes a file and creates missing directories. Returns its path.

#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace traced::testing {

inline std::string writeFile(const std::filesystem::path& path,
                             const std::string& bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
  return path.string();
}

}  // namespace traced::testing
