#include "analysis/pending_file.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "absl/strings/str_cat.h"

namespace traced {
namespace {

std::string whyNotReplaced(const std::string& path) {
  std::error_code ignored;
  const auto status = std::filesystem::symlink_status(path, ignored);
  if (!std::filesystem::exists(status)) return "";
  const auto target = std::filesystem::status(path, ignored);
  if (std::filesystem::is_regular_file(target)) return "";
  if (std::filesystem::is_directory(target)) return "is a directory";
  return "is no regular file";
}

}  // namespace

bool isTaken(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(
      std::filesystem::symlink_status(path, ignored));
}

PendingFile::PendingFile(const std::string& path)
    : path_(path),
      pending_(absl::StrCat(path, ".", ::getpid(), ".tmp")),
      refused_(whyNotReplaced(path)) {
  if (refused_.empty()) {
    out_.open(pending_, std::ios::binary | std::ios::trunc);
  } else {
    out_.setstate(std::ios::failbit);
  }
}

PendingFile::~PendingFile() {
  if (refused_.empty() && !committed_) std::remove(pending_.c_str());
}

std::string PendingFile::problem() const {
  return absl::StrCat(path_, ": ",
                      refused_.empty() ? "cannot be written" : refused_);
}

bool PendingFile::commit() {
  out_.close();
  committed_ = out_.good() && std::rename(pending_.c_str(), path_.c_str()) == 0;
  return committed_;
}

}  // namespace traced
