#include "cli/common/junit.h"

#include <cstddef>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/utf8.h"
#include "cli/common/text.h"

namespace traced {
namespace {

// Text as the value of an attribute. XML has no way at all to write most
// control characters.
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

}  // namespace traced
