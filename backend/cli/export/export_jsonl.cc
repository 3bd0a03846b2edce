#include <type_traits>

#include "cli/common/json.h"
#include "cli/export/export_writer.h"

namespace traced {
namespace {

Json rowJson(const ExportedCall& call) {
  Json json = Json::object();
  for (const ExportColumn& column : exportColumns()) {
    std::visit(
        [&](const auto& held) {
          using Held = std::decay_t<decltype(held)>;
          if constexpr (!std::is_same_v<Held, std::monostate>) {
            json[column.name] = held;
          }
        },
        column.value(call));
  }
  return json;
}

class JsonlWriter : public ExportWriter {
 public:
  void addRank(std::ostream& out, const StreamTable&,
               const std::vector<ExportedCall>& calls) override {
    for (const ExportedCall& call : calls) {
      writeJson(out, rowJson(call), -1);
      out << "\n";
    }
  }
};

}  // namespace

std::unique_ptr<ExportWriter> makeJsonlWriter() {
  return std::make_unique<JsonlWriter>();
}

}  // namespace traced
