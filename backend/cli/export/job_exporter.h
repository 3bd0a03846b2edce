// JobExporter writes a part of a run for another tool, in one walk over its
// matched operations.

#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <ostream>
#include <string>

#include "absl/types/span.h"
#include "analysis/merge/pending_file.h"
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

// Each is described in docs/use/export.md.
std::unique_ptr<JobExporter> makePerfettoExporter();
std::unique_ptr<JobExporter> makeFrExporter();
std::unique_ptr<JobExporter> makeFrJsonExporter();
std::unique_ptr<JobExporter> makeKinetoExporter();
std::unique_ptr<JobExporter> makeNcclTestsExporter();
std::unique_ptr<JobExporter> makeInspectorExporter();
std::unique_ptr<JobExporter> makeChakraExporter();
std::unique_ptr<JobExporter> makeOtf2Exporter();

absl::Span<const JobFormat> jobFormats();

// Why there cannot be a new folder under a path, a sentence; "" if there can,
// as nothing or an empty folder is there.
std::string whyNoNewFolder(const std::string& path);

class OneExportedFile : public ExportedFiles {
 public:
  explicit OneExportedFile(std::ostream& out) : out_(out) {}
  std::ostream& begin(const std::string&) override { return out_; }

 private:
  std::ostream& out_;
};

// A folder that is not there yet, or is empty: readers take all files of a
// folder, so one that holds others would be read wrongly.
class ExportedFolder : public ExportedFiles {
 public:
  explicit ExportedFolder(const std::string& path);

  std::ostream& begin(const std::string& name) override;
  std::string folder() const override { return path_; }
  void fail(const std::string& problem) override { problem_ = problem; }
  // False if the folder, or one of its files, could not be written.
  bool finish();
  // Why: a sentence.
  const std::string& problem() const { return problem_; }

 private:
  const std::string path_;
  std::string problem_;
  std::unique_ptr<PendingFile> file_;
  // What is written once there is a problem.
  std::ostream nowhere_{nullptr};
};

struct Remark {
  std::uint64_t operations = 0;
  // What is to be known of them: " left out: ...".
  const char* what;
};

// "2 operations left out: ...; 1 operation ..."; "" where there are none.
std::string noteOf(std::initializer_list<Remark> remarks);

}  // namespace traced
