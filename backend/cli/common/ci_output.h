// Writes JUnit XML, which CI systems show as tests, and Markdown pages.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace traced {

struct JunitCase {
  std::string name;
  // "failure", "error" or "skipped"; empty for a passed case.
  const char* outcome = "";
  std::string message;
};

// Returns a suite with these cases. `verb` is the tracectl command.
std::string junitText(const std::string& suite, const std::string& verb,
                      const std::vector<JunitCase>& cases);

// Returns a name as inline code. It contains no markup, link or mention, and
// does not end a table cell. Long names are cut so that one cannot fill the
// page.
std::string markdownCode(const std::string& name);

// MarkdownPage collects at most 1 MiB of text. GitHub drops a longer page
// entirely.
class MarkdownPage {
 public:
  // Adds `text`, which is one or more whole lines. If it does not fit, it is
  // dropped and counted as one line.
  void add(const std::string& text);
  // Returns the page, with the number of dropped lines at its end.
  std::string finish() &&;

 private:
  std::string text_;
  std::size_t left_out_ = 0;
};

}  // namespace traced
