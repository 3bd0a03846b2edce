// PendingFile is a file under another name until it is complete, and gone if it
// never is.

#pragma once

#include <fstream>
#include <ostream>
#include <string>

namespace traced {

class PendingFile {
 public:
  explicit PendingFile(const std::string& path);
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  std::ostream& stream() { return out_; }
  // Whether all could be written so far.
  bool ok() const { return out_.good(); }
  // Puts the file in the place of whatever was under its path.
  bool commit();

 private:
  const std::string path_;
  const std::string pending_;
  std::ofstream out_;
  bool committed_ = false;
};

}  // namespace traced
