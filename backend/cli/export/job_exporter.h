// JobExporter writes a part of a run for another tool, in one walk over its
// matched operations.

#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>

#include "absl/types/span.h"
#include "analysis/view/job_view.h"

namespace traced {

// Where an exporter writes: a format of one file begins one, without a name;
// others one after the other, in a folder.
class ExportedFiles {
 public:
  virtual ~ExportedFiles() = default;

  // What was begun before is complete, and no longer to be written to.
  virtual std::ostream& begin(const std::string& name) = 0;
  // Of a format whose files a library writes: where, and why it could not.
  virtual std::string folder() const { return ""; }
  virtual void fail(const std::string&) {}
};

class JobExporter {
 public:
  virtual ~JobExporter() = default;

  virtual void write(ExportedFiles& files, const JobView& view) = 0;
  // What whoever reads it should know; "" when that is nothing.
  virtual std::string note() const { return ""; }
};

enum class ExportedAs : std::uint8_t { kFile, kFolder };

struct JobFormat {
  const char* name;
  const char* what;
  // nullptr where it was built without what that takes.
  std::unique_ptr<JobExporter> (*make)();
  // As many as its readers can take; 0: any number.
  std::uint64_t most_operations = 0;
  ExportedAs as = ExportedAs::kFile;
  // Whether its file can be read on a terminal.
  bool is_text = false;
};

absl::Span<const JobFormat> jobFormats();

}  // namespace traced
