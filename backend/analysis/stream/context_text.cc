#include "analysis/stream/context_text.h"

#include <cstdint>
#include <cstring>

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
  absl::StrAppend(&text, ", via ", libraryFrameText(*package));
  return text;
}

std::string libraryPath(const std::string& file) {
  for (const char* folder : {"-packages/", "/lib/python3."}) {
    const std::size_t at = file.rfind(folder);
    if (at == std::string::npos) continue;
    const std::size_t end = file.find('/', at + std::strlen(folder) - 1);
    if (end != std::string::npos) return file.substr(end + 1);
  }
  return "";
}

std::string libraryFrameText(const v1::Frame& frame) {
  v1::Frame named = frame;
  const std::string path = libraryPath(frame.file());
  if (!path.empty()) named.set_file(path);
  return frameText(&named);
}

std::string handlingText(const v1::Stack& stack) {
  const v1::HandledException& handling = stack.handling();
  const std::string& message = handling.message();
  return absl::StrCat(
      handling.type(), message.empty() ? "" : ": ", message,
      handling.has_raised() ? ", raised at " : "",
      handling.has_raised() ? frameText(&handling.raised()) : "");
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
