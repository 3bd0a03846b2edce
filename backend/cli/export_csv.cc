#include <type_traits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "cli/export_writer.h"
#include "cli/text.h"

namespace traced {
namespace {

std::string csvField(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

std::string cellText(const ExportValue& value, bool for_terminal) {
  return std::visit(
      [for_terminal](const auto& held) -> std::string {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::monostate>) {
          return "";
        } else if constexpr (std::is_same_v<Held, bool>) {
          return held ? "true" : "false";
        } else if constexpr (std::is_same_v<Held, std::string>) {
          return csvField(for_terminal ? printable(held) : held);
        } else {
          return absl::StrCat(held);
        }
      },
      value);
}

class CsvWriter : public ExportWriter {
 public:
  explicit CsvWriter(bool for_terminal) : for_terminal_(for_terminal) {}

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
        out << separator << cellText(column.value(call), for_terminal_);
        separator = ",";
      }
      out << "\r\n";
    }
  }

 private:
  const bool for_terminal_;
};

}  // namespace

std::unique_ptr<ExportWriter> makeCsvWriter(bool for_terminal) {
  return std::make_unique<CsvWriter>(for_terminal);
}

}  // namespace traced
