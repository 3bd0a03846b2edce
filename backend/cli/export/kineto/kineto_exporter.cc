#include "cli/export/kineto/kineto_exporter.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "cli/export/export_note.h"
#include "cli/export/kineto/kineto_events.h"
#include "cli/export/row_buffer.h"

namespace traced {
namespace kineto {
namespace {

class KinetoExporter : public JobExporter {
 public:
  void write(ExportedFiles& files, const JobView& view) override {
    const auto cells = cellsByStream(view);
    for (std::uint32_t i = 0; i < cells.size(); ++i) {
      const RankTimeline line = timelineOf(view, i, cells[i]);
      unshowable_ += line.unshowable;
      const std::uint32_t rank = view.run().streams[i].table.header.rank();
      writeRank(files.begin(absl::StrCat("rank_", rank, ".json")), rank, line,
                Events(view, i));
    }
  }

  std::string note() const override {
    return noteOf(
        {{without_end_, " without an end: only their calls are there"},
         {unshowable_, " left out: their times cannot be"}});
  }

 private:
  // The space before the rank is how HolisticTraceAnalysis finds it.
  void writeRank(std::ostream& out, std::uint32_t rank,
                 const RankTimeline& line, Events events) {
    RowBuffer buffer;
    absl::StrAppend(&buffer.text(),
                    "{\"schemaVersion\":1,\n\"distributedInfo\":{\"rank\": ",
                    rank, ",", jsonText(events.distributedInfo(), -1).substr(1),
                    ",\n\"displayTimeUnit\":\"ms\",\n\"traceEvents\":[\n");
    absl::StrAppend(&buffer.text(),
                    "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":", rank,
                    ",\"args\":{\"name\":\"rank ", rank, "\"}}");
    events.forEach(line, [&](const Json& event) {
      absl::StrAppend(&buffer.text(), ",\n", jsonText(event, -1));
      buffer.endRow(out);
    });
    buffer.text() += "\n]}\n";
    buffer.write(out);
    without_end_ += events.withoutEnd();
  }

  std::uint64_t without_end_ = 0;
  std::uint64_t unshowable_ = 0;
};

}  // namespace
}  // namespace kineto

std::unique_ptr<JobExporter> makeKinetoExporter() {
  return std::make_unique<kineto::KinetoExporter>();
}

}  // namespace traced
