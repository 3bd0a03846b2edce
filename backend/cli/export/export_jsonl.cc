#include <type_traits>

#include "absl/strings/str_cat.h"
#include "cli/common/json.h"
#include "cli/export/export_cells.h"
#include "cli/export/export_writer.h"
#include "cli/export/row_buffer.h"

namespace traced {
namespace {

void appendMember(std::string& text, const char* name,
                  const ExportValue& value) {
  std::visit(
      [&](const auto& held) {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (!std::is_same_v<Held, std::monostate>) {
          absl::StrAppend(&text, "\"", name, "\":");
          if constexpr (std::is_same_v<Held, bool>) {
            text += held ? "true" : "false";
          } else if constexpr (std::is_same_v<Held, std::string>) {
            text += jsonText(held, -1);
          } else {
            absl::StrAppend(&text, held);
          }
          text += ',';
        }
      },
      value);
}

class JsonlWriter : public ExportWriter {
 public:
  void addRank(std::ostream& out, const StreamTable&,
               const std::vector<ExportedCall>& calls) override {
    ExportCells cells;
    const auto append = [](std::string& text, const ExportColumn& column,
                           const ExportValue& value) {
      appendMember(text, column.name, value);
      return false;
    };
    for (const ExportedCall& call : calls) {
      std::string& text = rows_.text();
      text += '{';
      cells.appendRow(call, text, append);
      text.back() = '}';
      text += '\n';
      rows_.endRow(out);
    }
    rows_.write(out);
  }

 private:
  RowBuffer rows_;
};

}  // namespace

std::unique_ptr<ExportWriter> makeJsonlWriter(RowReader) {
  return std::make_unique<JsonlWriter>();
}

}  // namespace traced
