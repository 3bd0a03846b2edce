#include "cli/export/exported_files.h"

#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace traced {

std::string whyNoNewFolder(const std::string& path) {
  if (!isTaken(path)) return "";
  std::error_code error;
  const bool usable = std::filesystem::is_directory(path, error) &&
                      std::filesystem::is_empty(path, error);
  if (usable && !error) return "";
  return absl::StrCat(path, ": is no empty folder; name a new one");
}

ExportedFolder::ExportedFolder(const std::string& path)
    : path_(path), problem_(whyNoNewFolder(path)) {
  if (!problem_.empty() || isTaken(path)) return;
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) problem_ = absl::StrCat(path, ": ", error.message());
}

std::ostream& ExportedFolder::begin(const std::string& name) {
  if (!finish()) return nowhere_;
  file_ = std::make_unique<PendingFile>(absl::StrCat(path_, "/", name),
                                        Existing::kKept);
  return file_->stream();
}

bool ExportedFolder::finish() {
  if (file_ && problem_.empty() && !file_->commit())
    problem_ = file_->problem();
  file_.reset();
  return problem_.empty();
}

}  // namespace traced
