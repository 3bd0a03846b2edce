#include "cli/export/export_note.h"

#include "absl/strings/str_cat.h"
#include "cli/common/text.h"

namespace traced {

std::string noteOf(std::initializer_list<Remark> remarks) {
  std::string note;
  for (const Remark& remark : remarks) {
    if (remark.operations == 0) continue;
    absl::StrAppend(&note, note.empty() ? "" : "; ",
                    countOf(remark.operations, "operation"), remark.what);
  }
  return note;
}

}  // namespace traced
