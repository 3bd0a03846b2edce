#include "analysis/pending_file.h"

#include <unistd.h>

#include <cstdio>

#include "absl/strings/str_cat.h"

namespace traced {

PendingFile::PendingFile(const std::string& path)
    : path_(path),
      pending_(absl::StrCat(path, ".", ::getpid(), ".tmp")),
      out_(pending_, std::ios::binary | std::ios::trunc) {}

PendingFile::~PendingFile() {
  if (!committed_) std::remove(pending_.c_str());
}

bool PendingFile::commit() {
  out_.close();
  committed_ = out_.good() && std::rename(pending_.c_str(), path_.c_str()) == 0;
  return committed_;
}

}  // namespace traced
