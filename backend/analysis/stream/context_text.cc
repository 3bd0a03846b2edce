#include "analysis/stream/context_text.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"

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

std::string frameText(const v1::Frame* frame) {
  if (!frame) return "not known";
  std::string text = frame->file();
  if (frame->line() > 0) absl::StrAppend(&text, ":", frame->line());
  if (!frame->function().empty()) {
    absl::StrAppend(&text, " in ", frame->function());
  }
  return text;
}

std::string siteText(const v1::Frame& site, const v1::Frame* package) {
  std::string text = frameText(&site);
  if (!package) return text;
  // The install location of packages is not informative.
  const std::string folder = "-packages/";
  v1::Frame named = *package;
  const std::size_t at = named.file().rfind(folder);
  if (at != std::string::npos) {
    named.mutable_file()->erase(0, at + folder.size());
  }
  absl::StrAppend(&text, ", via ", frameText(&named));
  return text;
}

std::string handlingText(const v1::Stack& stack) {
  const v1::HandledException& handling = stack.handling();
  return handling.has_raised() ? absl::StrCat(handling.type(), ", raised at ",
                                              frameText(&handling.raised()))
                               : handling.type();
}

std::string codeText(const v1::Code* code) {
  if (!code) return "not known";
  const absl::string_view path = code->binary();
  std::string text;
  if (code->line() > 0) {
    text = absl::StrCat(code->file(), ":", code->line());
  } else if (path.empty()) {
    text = absl::StrCat("0x", absl::Hex(code->offset()));
  } else {
    const std::size_t slash = path.rfind('/');
    text = absl::StrCat(path.substr(slash == path.npos ? 0 : slash + 1), "+0x",
                        absl::Hex(code->offset()));
  }
  if (!code->function().empty()) {
    absl::StrAppend(&text, " in ", code->function());
  }
  return text;
}

}  // namespace traced
