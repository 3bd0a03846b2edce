#include "cli/report/html/html_table.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/common/text.h"
#include "cli/report/html/html_text.h"

namespace traced {

void HtmlTable::addColumn(std::string heading, Kind kind) {
  columns_.push_back({std::move(heading), kind});
}

void HtmlTable::addRow(const std::vector<std::string>& cells) {
  ++rows_;
  if (rows_ > kMost) return;
  body_ += "<tr>";
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
  if (rows_ > kMost) {
    absl::StrAppend(
        &html, "<p class=note>", groupedText(rows_ - kMost),
        " more rows are in <code>tracectl report --json</code>.</p>\n");
  }
  return html;
}

}  // namespace traced
