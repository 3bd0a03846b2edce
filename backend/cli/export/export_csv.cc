#include <cstddef>
#include <string>
#include <variant>

#include "absl/strings/str_cat.h"
#include "cli/common/csv.h"
#include "cli/common/text.h"
#include "cli/export/export_cells.h"
#include "cli/export/export_writer.h"
#include "cli/export/row_buffer.h"

namespace traced {
namespace {

// Spreadsheets pass over the last three.
bool isLikeFormula(const std::string& text) {
  if (text.empty()) return false;
  const char c = text.front();
  return c == '=' || c == '+' || c == '-' || c == '@' || c == '\t' ||
         c == '\r' || c == '\n';
}

class CsvFormat {
 public:
  explicit CsvFormat(RowReader reader) : reader_(reader) {}

  // Whether a spreadsheet would take it for a formula.
  bool append(RowText& text, const ExportColumn&,
              const ExportValue& value) const {
    const bool like_formula = appendCell(text, value);
    text.append(',');
    return like_formula;
  }
  static void append(RowText& text, const ExportColumn&,
                     const ExportNumber& number) {
    char* const end = writeDigits(text.end(), number);
    *end = ',';
    text.endAt(end + 1);
  }

 private:
  bool appendCell(RowText& text, const ExportValue& value) const {
    if (const auto* held = std::get_if<std::string>(&value)) {
      appendText(text, *held);
      return isLikeFormula(*held);
    }
    if (const auto* held = std::get_if<bool>(&value)) {
      text.append(*held ? "true" : "false");
    } else if (const auto* number = std::get_if<std::uint64_t>(&value)) {
      text.append(absl::StrCat(*number));
    } else if (const auto* below = std::get_if<std::int64_t>(&value)) {
      text.append(absl::StrCat(*below));
    }
    return false;
  }

  void appendText(RowText& text, const std::string& held) const {
    if (isLikeFormula(held) && reader_ == RowReader::kSpreadsheet) {
      text.append(csvField("'" + held));
    } else if (reader_ == RowReader::kTerminal) {
      text.append(csvField(printable(held)));
    } else {
      text.append(csvField(held));
    }
  }

  const RowReader reader_;
};

class CsvWriter : public ExportWriter {
 public:
  explicit CsvWriter(RowReader reader) : reader_(reader) {}

  void begin(std::ostream& out) override {
    const char* separator = "";
    for (const ExportColumn& column : exportColumns()) {
      out << separator << column.name;
      separator = ",";
    }
    out << "\r\n";
  }

  void addRank(std::ostream& out, const StreamTable&,
               const std::vector<ExportedCall>& calls) override {
    ExportCells cells;
    const CsvFormat format(reader_);
    for (const ExportedCall& call : calls) {
      RowText& text = rows_.text();
      like_formulas_ += cells.appendRow(call, text, format);
      text.replaceLast('\r');
      text.append('\n');
      rows_.endRow(out);
    }
    rows_.write(out);
  }

  std::string note() const override {
    if (like_formulas_ == 0 || reader_ == RowReader::kSpreadsheet) return "";
    return absl::StrCat(countOf(like_formulas_, "cell"),
                        " would be a formula to a spreadsheet; --spreadsheet "
                        "writes an apostrophe before such text");
  }

 private:
  const RowReader reader_;
  std::uint64_t like_formulas_ = 0;
  BasicRowBuffer<RowText> rows_;
};

}  // namespace

std::unique_ptr<ExportWriter> makeCsvWriter(RowReader reader) {
  return std::make_unique<CsvWriter>(reader);
}

}  // namespace traced
