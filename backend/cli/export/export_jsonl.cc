#include <type_traits>

#include "absl/strings/str_cat.h"
#include "cli/common/json.h"
#include "cli/export/export_cells.h"
#include "cli/export/export_writer.h"

namespace traced {
namespace {

void appendMember(std::string& text, const char* name,
                  const ExportValue& value) {
  std::visit(
      [&](const auto& held) {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::monostate>) return;
        absl::StrAppend(&text, "\"", name, "\":");
        if constexpr (std::is_same_v<Held, bool>) {
          text += held ? "true" : "false";
        } else if constexpr (std::is_same_v<Held, std::string>) {
          text += jsonText(held, -1);
        } else if constexpr (!std::is_same_v<Held, std::monostate>) {
          absl::StrAppend(&text, held);
        }
        text += ',';
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
      text_ += '{';
      cells.appendRow(call, text_, append);
      text_.back() = '}';
      text_ += '\n';
      if (text_.size() >= kWrittenBytes) write(out);
    }
    write(out);
  }

 private:
  // A stream takes long for each piece that it is given.
  static constexpr std::size_t kWrittenBytes = std::size_t{1} << 16;

  void write(std::ostream& out) {
    out.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
  }

  // What is not yet written.
  std::string text_;
};

}  // namespace

std::unique_ptr<ExportWriter> makeJsonlWriter() {
  return std::make_unique<JsonlWriter>();
}

}  // namespace traced
