#include "cli/common/markdown.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "cli/common/text.h"

namespace traced {

std::string markdownCode(const std::string& name) {
  constexpr std::size_t kMostOfName = 500;
  // A backtick would end it, and a bar the cell of a table.
  std::string text = printable(name.substr(0, kMostOfName));
  text = absl::StrReplaceAll(text, {{"`", "'"}, {"|", "/"}});
  return absl::StrCat("`", text, "`");
}

void MarkdownPage::add(const std::string& text) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 20;
  // Left for what ends a page that was cut.
  constexpr std::size_t kEndBytes = 1024;
  if (text_.size() + text.size() + kEndBytes > kMostBytes) {
    ++left_out_;
  } else {
    text_ += text;
  }
}

std::string MarkdownPage::finish() && {
  if (left_out_ > 0) {
    absl::StrAppend(&text_, "\n", countOf(left_out_, "more line"), ".\n");
  }
  return std::move(text_);
}

}  // namespace traced
