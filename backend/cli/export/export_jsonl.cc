#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/common/json.h"
#include "cli/export/export_cells.h"
#include "cli/export/export_writer.h"
#include "cli/export/row_buffer.h"

namespace traced {
namespace {

class JsonlFormat {
 public:
  JsonlFormat() {
    for (const ExportColumn& column : exportColumns()) {
      names_.emplace_back().append(absl::StrCat("\"", column.name, "\":"));
    }
  }

  static bool append(RowText& text, const ExportColumn& column,
                     const ExportValue& value) {
    std::visit(
        [&](const auto& held) {
          using Held = std::decay_t<decltype(held)>;
          if constexpr (!std::is_same_v<Held, std::monostate>) {
            text.append(absl::StrCat("\"", column.name,
                                     "\":", jsonText(held, -1), ","));
          }
        },
        value);
    return false;
  }

  void append(RowText& text, const ExportColumn& column,
              const ExportNumber& number) const {
    if (number.kind == ExportNumber::Kind::kAbsent) return;
    text.append(
        names_[static_cast<std::size_t>(&column - exportColumns().data())]);
    char* end = text.end();
    const bool is_text = number.kind == ExportNumber::Kind::kId;
    if (is_text) *end++ = '"';
    end = writeDigits(end, number);
    if (is_text) *end++ = '"';
    *end++ = ',';
    text.endAt(end);
  }

 private:
  // "\"rank\":" and so on.
  std::vector<RowText> names_;
};

class JsonlWriter : public ExportWriter {
 public:
  void addRank(std::ostream& out, const StreamTable&,
               const std::vector<ExportedCall>& calls) override {
    ExportCells cells;
    for (const ExportedCall& call : calls) {
      RowText& text = rows_.text();
      text.append('{');
      cells.appendRow(call, text, format_);
      text.replaceLast('}');
      text.append('\n');
      rows_.endRow(out);
    }
    rows_.write(out);
  }

 private:
  const JsonlFormat format_;
  BasicRowBuffer<RowText> rows_;
};

}  // namespace

std::unique_ptr<ExportWriter> makeJsonlWriter(RowReader) {
  return std::make_unique<JsonlWriter>();
}

}  // namespace traced
