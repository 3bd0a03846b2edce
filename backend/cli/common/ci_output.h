// JUnit XML, which CI systems show as tests, and pages of Markdown.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace traced {

struct JunitCase {
  std::string name;
  // "failure", "error" or "skipped"; empty when it passed.
  const char* outcome = "";
  std::string message;
};

// A suite with these cases. `verb`: of tracectl.
std::string junitText(const std::string& suite, const std::string& verb,
                      const std::vector<JunitCase>& cases);

// A name as code: nothing in it is markup, a link or a mention, and it ends no
// cell of a table. Long ones are cut, so that one cannot fill the page.
std::string markdownCode(const std::string& name);

// At most 1 MiB: GitHub leaves out a longer page as a whole.
class MarkdownPage {
 public:
  // Whole lines; what there is no room for is only counted.
  void add(const std::string& text);
  std::string finish() &&;

 private:
  std::string text_;
  std::size_t left_out_ = 0;
};

}  // namespace traced
