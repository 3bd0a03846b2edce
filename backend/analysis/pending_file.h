// PendingFile is a file under another name until it is complete, and gone if it
// never is.

#pragma once

#include <fstream>
#include <ostream>
#include <string>

namespace traced {

// Whether there is anything under a path, be it a link that leads nowhere.
bool isTaken(const std::string& path);

class PendingFile {
 public:
  // Only a regular file is ever replaced: a device would be lost.
  explicit PendingFile(const std::string& path);
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  std::ostream& stream() { return out_; }
  // Whether all could be written so far.
  bool ok() const { return out_.good(); }
  // Puts the file in the place of the one that was under its path.
  bool commit();
  // Why it is not ok: a sentence that begins with the path.
  std::string problem() const;

 private:
  const std::string path_;
  const std::string pending_;
  // "" unless something under the path must stay.
  const std::string refused_;
  std::ofstream out_;
  bool committed_ = false;
};

}  // namespace traced
