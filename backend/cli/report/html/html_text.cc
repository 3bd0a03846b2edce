#include "cli/report/html/html_text.h"

#include "absl/strings/str_replace.h"
#include "cli/common/text.h"

namespace traced {

std::string htmlText(std::string_view text) {
  return absl::StrReplaceAll(printable(text), {{"&", "&amp;"},
                                               {"<", "&lt;"},
                                               {">", "&gt;"},
                                               {"\"", "&quot;"},
                                               {"'", "&#39;"}});
}

// In JSON these characters stand in strings only.
std::string scriptJson(const Json& json) {
  return absl::StrReplaceAll(jsonText(json, -1), {{"&", "\\u0026"},
                                                  {"<", "\\u003c"},
                                                  {">", "\\u003e"},
                                                  {"\u2028", "\\u2028"},
                                                  {"\u2029", "\\u2029"}});
}

}  // namespace traced
