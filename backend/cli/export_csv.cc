#include <type_traits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "cli/export_writer.h"

namespace traced {
namespace {

std::string csvField(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

std::string cellText(const ExportValue& value) {
  return std::visit(
      [](const auto& held) -> std::string {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::monostate>) {
          return "";
        } else if constexpr (std::is_same_v<Held, bool>) {
          return held ? "true" : "false";
        } else if constexpr (std::is_same_v<Held, std::string>) {
          return csvField(held);
        } else {
          return absl::StrCat(held);
        }
      },
      value);
}

class CsvWriter : public ExportWriter {
 public:
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
};

}  // namespace

std::unique_ptr<ExportWriter> makeCsvWriter() {
  return std::make_unique<CsvWriter>();
}

}  // namespace traced
