// TempDir creates a directory and removes it on destruction.

#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>

namespace traced::testing {

class TempDir {
 public:
  // `parent` must exist.
  explicit TempDir(const std::filesystem::path& parent =
                       std::filesystem::temp_directory_path()) {
    std::string pattern = (parent / "traced-test-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace traced::testing
