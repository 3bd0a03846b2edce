#include <string>

#include "absl/strings/str_cat.h"
#include "cli/export/fr/fr_entries.h"
#include "cli/export/fr/pickle_writer.h"
#include "cli/export/job_exporter.h"
#include "cli/export/row_text.h"

namespace traced {
namespace fr {
namespace {

constexpr const char* kVersion = "2.10";

// Writes a dict whose last member is the list of entries.
class DumpWriter {
 public:
  virtual ~DumpWriter() = default;
  virtual std::string fileName(std::uint32_t rank) const = 0;
  // Writes everything except the entries.
  virtual void begin(std::string& out, const Json& rest) = 0;
  virtual void add(std::string& out, const Json& entry) = 0;
  // Writes the progress of the groups, which is known only after the entries.
  virtual void end(std::string& out, const Json& progress) = 0;
};

class PickledDump : public DumpWriter {
 public:
  std::string fileName(std::uint32_t rank) const override {
    return absl::StrCat("rank_", rank);
  }
  void begin(std::string& out, const Json& rest) override {
    out += "\x80\x02}(";
    for (const auto& [key, value] : rest.items()) {
      appendPickled(out, key);
      appendPickled(out, value);
    }
    appendPickled(out, "entries");
    out += "](";
  }
  void add(std::string& out, const Json& entry) override {
    appendPickled(out, entry);
  }
  void end(std::string& out, const Json& progress) override {
    out += "e";
    appendPickled(out, "pg_status");
    appendPickled(out, progress);
    out += "u.";
  }
};

class JsonDump : public DumpWriter {
 public:
  std::string fileName(std::uint32_t rank) const override {
    return absl::StrCat("rank_", rank, ".json");
  }
  void begin(std::string& out, const Json& rest) override {
    out += jsonText(rest, -1);
    out.pop_back();
    out += ",\"entries\":[";
    first_ = true;
  }
  void add(std::string& out, const Json& entry) override {
    absl::StrAppend(&out, first_ ? "\n" : ",\n", jsonText(entry, -1));
    first_ = false;
  }
  void end(std::string& out, const Json& progress) override {
    absl::StrAppend(&out, "],\n\"pg_status\":", jsonText(progress, -1), "}\n");
  }

 private:
  bool first_ = true;
};

template <typename Writer>
class FrExporter : public JobExporter {
 public:
  void write(ExportedFiles& files, const JobView& view) override {
    const auto cells = cellsByStream(view);
    const auto names = namesOfGroups(view.run().groups);
    for (std::uint32_t i = 0; i < cells.size(); ++i) {
      const v1::Header& header = view.run().streams[i].table.header;
      Entries entries(view, i, names);
      Writer writer;
      std::ostream& out = files.begin(writer.fileName(header.rank()));
      RowBuffer buffer;
      writer.begin(buffer.text(), {{"version", kVersion},
                                   {"rank", header.rank()},
                                   {"comm_lib_version", ""},
                                   {"pg_config", entries.groups()}});
      entries.forEach(cells[i], [&](const Json& entry) {
        writer.add(buffer.text(), entry);
        buffer.endRow(out);
      });
      writer.end(buffer.text(), entries.progress());
      buffer.write(out);
      left_out_ += entries.leftOut();
    }
  }

  std::string note() const override {
    return noteOf(
        {{left_out_,
          " left out: a Flight Recorder dump has no words for them"}});
  }

 private:
  std::uint64_t left_out_ = 0;
};

}  // namespace
}  // namespace fr

std::unique_ptr<JobExporter> makeFrExporter() {
  return std::make_unique<fr::FrExporter<fr::PickledDump>>();
}

std::unique_ptr<JobExporter> makeFrJsonExporter() {
  return std::make_unique<fr::FrExporter<fr::JsonDump>>();
}

}  // namespace traced
