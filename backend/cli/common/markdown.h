// A page of Markdown, as CI systems show it.

#pragma once

#include <cstddef>
#include <string>

namespace traced {

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
