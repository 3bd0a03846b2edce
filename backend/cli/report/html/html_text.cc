#include "cli/report/html/html_text.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "phrasing/text.h"

namespace traced {

std::string htmlText(std::string_view text) {
  return absl::StrReplaceAll(printable(text), {{"&", "&amp;"},
                                               {"<", "&lt;"},
                                               {">", "&gt;"},
                                               {"\"", "&quot;"},
                                               {"'", "&#39;"}});
}

// In JSON, these characters occur only in strings.
std::string scriptJson(const Json& json) {
  return absl::StrReplaceAll(jsonText(json, -1), {{"&", "\\u0026"},
                                                  {"<", "\\u003c"},
                                                  {">", "\\u003e"},
                                                  {"\u2028", "\\u2028"},
                                                  {"\u2029", "\\u2029"}});
}

void HtmlTable::addColumn(std::string heading, Kind kind) {
  columns_.push_back({std::move(heading), kind});
}

void HtmlTable::addRow(const std::vector<std::string>& cells, bool is_named) {
  ++rows_;
  if (rows_ > kMax) return;
  body_ += is_named ? "<tr class=named>" : "<tr>";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool is_text = columns_[i].kind == Kind::kText;
    absl::StrAppend(&body_, is_text ? "<td class=t>" : "<td>",
                    htmlText(cells[i]));
  }
  body_ += "\n";
}

std::string HtmlTable::html() const {
  if (rows_ == 0) return "";
  std::string html = absl::StrCat("<div class=scroll><table data-name=\"",
                                  htmlText(name_), "\"><thead><tr>");
  for (const Column& column : columns_) {
    absl::StrAppend(&html,
                    column.kind == Kind::kText ? "<th class=t scope=col>"
                                               : "<th scope=col>",
                    htmlText(column.heading));
  }
  absl::StrAppend(&html, "</thead><tbody>\n", body_,
                  "</tbody></table></div>\n");
  if (rows_ > kMax) {
    absl::StrAppend(
        &html, "<p class=note>", groupedText(rows_ - kMax),
        " more rows are in <code>tracectl report --json</code>.</p>\n");
  }
  return html;
}

}  // namespace traced
