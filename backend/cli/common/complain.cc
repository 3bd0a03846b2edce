#include "cli/common/complain.h"

#include <iostream>

#include "absl/strings/str_cat.h"
#include "analysis/merge/pending_file.h"
#include "phrasing/text.h"

namespace traced {

void complain(const std::string& sentence) {
  std::cerr << "tracectl: " << printable(sentence) << "\n";
}

ExitCode refuse(const std::string& sentence) {
  complain(sentence);
  return ExitCode::kUsage;
}

bool mayWrite(const std::string& path, bool force) {
  if (force || !isTaken(path)) return true;
  complain(absl::StrCat(path, ": exists; --force replaces it"));
  return false;
}

bool finish(PendingFile& file) {
  if (file.commit()) return true;
  complain(file.problem());
  return false;
}

}  // namespace traced
