#include "cli/common/ci_output.h"

#include <cstddef>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/utf8.h"
#include "phrasing/text.h"

namespace traced {
namespace {

// Escapes text for an attribute value. XML cannot represent most control
// characters at all.
std::string attribute(const std::string& text) {
  return absl::StrReplaceAll(printable(toValidUtf8(text)),
                             {{"\xEF\xBF\xBE", "?"},
                              {"\xEF\xBF\xBF", "?"},
                              {"&", "&amp;"},
                              {"<", "&lt;"},
                              {">", "&gt;"},
                              {"\"", "&quot;"}});
}

std::string text(const std::string& verb, const JunitCase& test) {
  const std::string start =
      absl::StrCat("    <testcase classname=\"tracectl.", verb, "\" name=\"",
                   attribute(test.name), "\" time=\"0\"");
  if (*test.outcome == '\0') return start + "/>\n";
  return absl::StrCat(start, ">\n      <", test.outcome, " message=\"",
                      attribute(test.message), "\"/>\n    </testcase>\n");
}

}  // namespace

std::string junitText(const std::string& suite, const std::string& verb,
                      const std::vector<JunitCase>& cases) {
  std::string texts;
  std::size_t failures = 0;
  std::size_t errors = 0;
  std::size_t skipped = 0;
  for (const JunitCase& test : cases) {
    const std::string_view result = test.outcome;
    failures += result == "failure";
    errors += result == "error";
    skipped += result == "skipped";
    texts += text(verb, test);
  }
  const std::string counts = absl::StrCat(
      " tests=\"", cases.size(), "\" failures=\"", failures, "\" errors=\"",
      errors, "\" skipped=\"", skipped, "\" time=\"0\"");
  return absl::StrCat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n",
                      "<testsuites", counts, ">\n  <testsuite name=\"",
                      attribute(suite), "\"", counts, ">\n", texts,
                      "  </testsuite>\n</testsuites>\n");
}

std::string markdownCode(const std::string& name) {
  constexpr std::size_t kMaxNameLength = 500;
  // A backtick would end the code span, and a bar the table cell.
  std::string text = printable(name.substr(0, kMaxNameLength));
  text = absl::StrReplaceAll(text, {{"`", "'"}, {"|", "/"}});
  return absl::StrCat("`", text, "`");
}

void MarkdownPage::add(const std::string& text) {
  constexpr std::size_t kMaxBytes = std::size_t{1} << 20;
  // Reserved for the end of a page that was cut.
  constexpr std::size_t kEndBytes = 1024;
  if (text_.size() + text.size() + kEndBytes > kMaxBytes) {
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
