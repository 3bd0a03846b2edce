#include <cstddef>
#include <string>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "cli/common/text.h"
#include "cli/export/export_writer.h"

namespace traced {
namespace {

bool needsQuotes(const std::string& text) {
  return text.find_first_of(",\"\r\n") != std::string::npos;
}

std::string csvField(const std::string& text) {
  if (!needsQuotes(text)) return text;
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

// Spreadsheets pass over the last three.
bool isLikeFormula(const std::string& text) {
  return !text.empty() &&
         std::string_view("=+-@\t\r\n").find(text[0]) != std::string_view::npos;
}

class CsvWriter : public ExportWriter {
 public:
  explicit CsvWriter(CsvReader reader) : reader_(reader) {}

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
    for (const ExportedCall& call : calls) {
      for (const ExportColumn& column : exportColumns()) {
        appendCell(column.value(call));
        text_ += ',';
      }
      text_.back() = '\r';
      text_ += '\n';
      if (text_.size() >= kWrittenBytes) write(out);
    }
    write(out);
  }

  std::string note() const override {
    if (like_formulas_ == 0 || reader_ == CsvReader::kSpreadsheet) return "";
    return absl::StrCat(countOf(like_formulas_, "cell"),
                        " would be a formula to a spreadsheet; --spreadsheet "
                        "writes an apostrophe before such text");
  }

 private:
  // A stream takes long for each piece that it is given.
  static constexpr std::size_t kWrittenBytes = std::size_t{1} << 16;

  void write(std::ostream& out) {
    out.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
  }

  void appendCell(const ExportValue& value) {
    std::visit(
        [this](const auto& held) {
          using Held = std::decay_t<decltype(held)>;
          if constexpr (std::is_same_v<Held, bool>) {
            text_ += held ? "true" : "false";
          } else if constexpr (std::is_same_v<Held, std::string>) {
            appendText(held);
          } else if constexpr (!std::is_same_v<Held, std::monostate>) {
            absl::StrAppend(&text_, held);
          }
        },
        value);
  }

  void appendText(const std::string& text) {
    const bool like_formula = isLikeFormula(text);
    like_formulas_ += like_formula;
    if (like_formula && reader_ == CsvReader::kSpreadsheet) {
      text_ += csvField("'" + text);
    } else if (reader_ == CsvReader::kTerminal) {
      text_ += csvField(printable(text));
    } else if (needsQuotes(text)) {
      text_ += csvField(text);
    } else {
      text_ += text;
    }
  }

  const CsvReader reader_;
  std::uint64_t like_formulas_ = 0;
  // What is not yet written.
  std::string text_;
};

}  // namespace

std::unique_ptr<ExportWriter> makeCsvWriter(CsvReader reader) {
  return std::make_unique<CsvWriter>(reader);
}

}  // namespace traced
