#include <type_traits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "cli/common/text.h"
#include "cli/export/export_writer.h"

namespace traced {
namespace {

std::string csvField(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
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
      const char* separator = "";
      for (const ExportColumn& column : exportColumns()) {
        out << separator << cellText(column.value(call));
        separator = ",";
      }
      out << "\r\n";
    }
  }

  std::string note() const override {
    if (like_formulas_ == 0 || reader_ == CsvReader::kSpreadsheet) return "";
    return absl::StrCat(countOf(like_formulas_, "cell"),
                        " would be a formula to a spreadsheet; --spreadsheet "
                        "writes an apostrophe before such text");
  }

 private:
  std::string cellText(const ExportValue& value) {
    return std::visit(
        [this](const auto& held) -> std::string {
          using Held = std::decay_t<decltype(held)>;
          if constexpr (std::is_same_v<Held, std::monostate>) {
            return "";
          } else if constexpr (std::is_same_v<Held, bool>) {
            return held ? "true" : "false";
          } else if constexpr (std::is_same_v<Held, std::string>) {
            return textCell(held);
          } else {
            return absl::StrCat(held);
          }
        },
        value);
  }

  std::string textCell(const std::string& text) {
    const bool like_formula = isLikeFormula(text);
    like_formulas_ += like_formula;
    if (like_formula && reader_ == CsvReader::kSpreadsheet) {
      return csvField("'" + text);
    }
    return csvField(reader_ == CsvReader::kTerminal ? printable(text) : text);
  }

  const CsvReader reader_;
  std::uint64_t like_formulas_ = 0;
};

}  // namespace

std::unique_ptr<ExportWriter> makeCsvWriter(CsvReader reader) {
  return std::make_unique<CsvWriter>(reader);
}

}  // namespace traced
