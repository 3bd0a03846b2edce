#include "analysis/context_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace traced {

std::string annotationsText(const v1::Context& context) {
  std::string text = absl::StrJoin(context.annotation(), " / ");
  if (context.annotations_cut() > 0) {
    absl::StrAppend(&text, " / and ", context.annotations_cut(), " more");
  }
  return text;
}

std::string modulePath(const v1::Context& context) {
  if (context.module().empty()) return context.model();
  return absl::StrCat(context.model(), ".", context.module());
}

}  // namespace traced
