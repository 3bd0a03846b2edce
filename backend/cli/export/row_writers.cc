// Writes CSV and JSON lines.

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "cli/common/csv.h"
#include "cli/common/json.h"
#include "cli/export/export_rows.h"
#include "cli/export/row_text.h"
#include "cli/export/tables/table_file.h"
#include "phrasing/text.h"

namespace traced {
namespace {

// Formats rows of operations of one stream. Caches the text of cells that
// depend on a definition, such as a call. Not thread safe.
class ExportCells {
 public:
  ExportCells() {
    const absl::Span<const ExportColumn> columns = exportColumns();
    for (auto from = columns.begin(); from != columns.end();) {
      const auto to = std::find_if(
          from, columns.end(),
          [&](const auto& column) { return column.source != from->source; });
      runs_.push_back(
          {from->source, {from, static_cast<std::size_t>(to - from)}, {}, {}});
      from = to;
    }
  }

  // Appends all cells of a row. `format.append(text, column, value)` appends
  // one cell. For a CellValue it returns the number of remarks on the cell.
  // Returns the sum of the remarks.
  template <typename Format>
  std::uint64_t appendRow(const ExportedCall& call, RowText& text,
                          const Format& format) {
    std::uint64_t remarks = 0;
    for (Run& run : runs_) {
      if (run.source == FieldSource::kOperation) {
        for (const ExportColumn& column : run.columns) {
          format.append(text, column, column.number(call));
        }
        continue;
      }
      Cells& cells = run.cellsOf(idOfSource(run.source, call));
      if (!cells.made) make(run, call, format, cells);
      text.append(cells.text);
      remarks += cells.remarks;
    }
    return remarks;
  }

 private:
  struct Cells {
    bool made = false;
    RowText text;
    std::uint64_t remarks = 0;
  };
  // Adjacent columns that depend on the same definition.
  struct Run {
    FieldSource source;
    absl::Span<const ExportColumn> columns;
    // Cached cells by the id of the definition. Recorders count ids from 0 or
    // 1, so small ids index a vector.
    std::vector<Cells> small;
    absl::flat_hash_map<std::uint32_t, Cells> large;

    Cells& cellsOf(std::uint32_t id) {
      constexpr std::uint32_t kSmall = 1024;
      if (id < small.size()) return small[id];
      if (id >= kSmall) return large[id];
      small.resize(id + 1);
      return small[id];
    }
  };

  template <typename Format>
  static void make(const Run& run, const ExportedCall& call,
                   const Format& format, Cells& cells) {
    cells.made = true;
    for (const ExportColumn& column : run.columns) {
      cells.remarks +=
          format.append(cells.text, column.name, column.value(call));
    }
  }

  std::vector<Run> runs_;
};

// Returns the shortest text that reads as the same number.
std::string realText(double real) {
  char digits[32];
  return {digits, std::to_chars(digits, std::end(digits), real).ptr};
}

// Returns whether a spreadsheet may take the text for a formula. Spreadsheets
// skip a leading tab, CR or LF.
bool isLikeFormula(const std::string& text) {
  if (text.empty()) return false;
  const char c = text.front();
  return c == '=' || c == '+' || c == '-' || c == '@' || c == '\t' ||
         c == '\r' || c == '\n';
}

class CsvFormat {
 public:
  explicit CsvFormat(RowReader reader) : reader_(reader) {}

  // Appends a cell. Returns true if a spreadsheet would interpret it as a
  // formula.
  bool append(RowText& text, const char*, const CellValue& value) const {
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
  bool appendCell(RowText& text, const CellValue& value) const {
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
    } else if (const auto* real = std::get_if<double>(&value)) {
      text.append(realText(*real));
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

  void begin(std::ostream& out,
             const std::vector<const ColumnInfo*>& columns) override {
    const char* separator = "";
    for (const ColumnInfo* column : columns) {
      out << separator << column->name;
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

  void addRows(std::ostream& out,
               const std::vector<TableColumn>& columns) override {
    const CsvFormat format(reader_);
    for (std::size_t i = 0; i < columns.front().rows(); ++i) {
      RowText& text = rows_.text();
      for (const TableColumn& column : columns) {
        like_formulas_ += format.append(text, "", column.cell(i));
      }
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

class JsonlFormat {
 public:
  JsonlFormat() {
    for (const ExportColumn& column : exportColumns()) {
      names_.emplace_back().append(absl::StrCat("\"", column.name, "\":"));
    }
  }

  static bool append(RowText& text, const char* name, const CellValue& value) {
    std::visit(
        [&](const auto& held) {
          using Held = std::decay_t<decltype(held)>;
          if constexpr (!std::is_same_v<Held, std::monostate>) {
            text.append(
                absl::StrCat("\"", name, "\":", jsonText(held, -1), ","));
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
  // Prefixes such as "\"rank\":".
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

  void addRows(std::ostream& out,
               const std::vector<TableColumn>& columns) override {
    for (std::size_t i = 0; i < columns.front().rows(); ++i) {
      RowText& text = rows_.text();
      text.append('{');
      for (const TableColumn& column : columns) {
        JsonlFormat::append(text, column.info().name, column.cell(i));
      }
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

std::unique_ptr<ExportWriter> makeCsvWriter(RowReader reader) {
  return std::make_unique<CsvWriter>(reader);
}

std::unique_ptr<ExportWriter> makeJsonlWriter(RowReader) {
  return std::make_unique<JsonlWriter>();
}

}  // namespace traced
