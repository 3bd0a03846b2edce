#include "analysis/reading/input_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <random>
#include <system_error>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/answering_path.h"

namespace traced {
namespace {

namespace fs = std::filesystem;

bool canBeListed(const std::string& directory) {
  return ::access(directory.c_str(), R_OK | X_OK) == 0;
}

class Finder {
 public:
  void add(const std::string& path) {
    if (!answersInTime(path)) {
      warn(path, "left out: its file system does not answer");
      return;
    }
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) {
      warn(path, error ? error.message() : "no such file or directory");
    } else if (fs::is_directory(status)) {
      addDirectory(path);
    } else if (fs::is_regular_file(status)) {
      addFile(path);
    } else {
      warn(path, "not a regular file");
    }
  }

  InputFiles take() && { return std::move(found_); }

 private:
  void addDirectory(const std::string& path) {
    std::vector<std::string> files;
    std::error_code error;
    fs::recursive_directory_iterator entry(path, error);
    while (!error && entry != fs::recursive_directory_iterator()) {
      std::error_code entry_error;
      if (entry->is_regular_file(entry_error)) {
        // Its content will be in another file once that is complete.
        if (!isPendingName(entry->path().string()))
          files.push_back(entry->path().string());
      } else if (!entry->is_directory(entry_error)) {
        warn(entry->path().string(), "not a regular file");
      } else if (!canBeListed(entry->path().string())) {
        warn(entry->path().string(), "cannot be listed");
        entry.disable_recursion_pending();
      }
      entry.increment(error);
    }
    if (error) warn(path, error.message());
    std::sort(files.begin(), files.end());
    for (const std::string& file : files) addFile(file);
  }

  void addFile(const std::string& path) {
    struct stat status;
    if (::stat(path.c_str(), &status) != 0) {
      warn(path, "cannot be read");
    } else if (seen_.insert({status.st_dev, status.st_ino}).second) {
      found_.paths.push_back(path);
    }
  }

  void warn(const std::string& path, const std::string& what) {
    found_.warnings.push_back(absl::StrCat(path, ": ", what));
  }

  InputFiles found_;
  absl::flat_hash_set<std::pair<dev_t, ino_t>> seen_;
};

}  // namespace

InputFiles findInputFiles(absl::Span<const std::string> paths) {
  Finder finder;
  for (const std::string& path : paths) finder.add(path);
  return std::move(finder).take();
}

namespace {

constexpr char kEnding[] = ".tmp";
constexpr std::size_t kDigits = 16;

}  // namespace

std::string pendingNameOf(const std::string& path) {
  std::random_device random;
  return absl::StrCat(path, ".", absl::Hex(random(), absl::kZeroPad8),
                      absl::Hex(random(), absl::kZeroPad8), kEnding);
}

bool isPendingName(const std::string& path) {
  absl::string_view name = path;
  if (!absl::ConsumeSuffix(&name, kEnding) || name.size() <= kDigits) {
    return false;
  }
  const absl::string_view digits = name.substr(name.size() - kDigits);
  return name[name.size() - kDigits - 1] == '.' &&
         std::all_of(digits.begin(), digits.end(), absl::ascii_isxdigit);
}

}  // namespace traced
