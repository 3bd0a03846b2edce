#include "cli/export/chakra/chakra_exporter.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "cli/export/chakra/nodes.h"
#include "cli/export/export_note.h"

namespace traced {
namespace {

class ChakraExporter : public JobExporter {
 public:
  void write(ExportedFiles& files, const JobView& view) override {
    const auto cells = cellsByStream(view);
    for (std::uint32_t i = 0; i < cells.size(); ++i) {
      const std::uint32_t rank = view.run().streams[i].table.header.rank();
      chakra::Nodes nodes(files.begin(absl::StrCat("rank.", rank, ".et")), view,
                          i);
      nodes.write(cells[i]);
      left_out_ += nodes.leftOut();
      without_end_ += nodes.withoutEnd();
    }
  }

  std::string note() const override {
    return noteOf(
        {{left_out_, " left out: Chakra has none like them"},
         {without_end_, " without a duration: their ends are not known"}});
  }

 private:
  std::uint64_t left_out_ = 0;
  std::uint64_t without_end_ = 0;
};

}  // namespace

std::unique_ptr<JobExporter> makeChakraExporter() {
  return std::make_unique<ChakraExporter>();
}

}  // namespace traced
