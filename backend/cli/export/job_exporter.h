// JobExporter writes a part of a run in the format of another tool, in one pass
// over its matched operations.

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

// The output of an exporter. A format of one file begins one file without a
// name. Other formats begin one file after another, in a folder.
class ExportedFiles {
 public:
  virtual ~ExportedFiles() = default;

  // Begins a file and returns its stream. The stream of the file before is
  // complete and must not be used any more.
  virtual std::ostream& begin(const std::string& name) = 0;
  // Returns the folder, for formats whose files are written by a library.
  // Returns "" if the output is a single file.
  virtual std::string folder() const { return ""; }
  // Reports why such a library could not write its files.
  virtual void fail(const std::string&) {}
};

class JobExporter {
 public:
  virtual ~JobExporter() = default;

  // Writes the operations of `view`. Failures show in the streams of `files`,
  // or in files.fail() for formats that a library writes. Call it once.
  virtual void write(ExportedFiles& files, const JobView& view) = 0;
  // Returns a note for the reader of the export, or "".
  virtual std::string note() const { return ""; }
};

enum class ExportedAs : std::uint8_t { kFile, kFolder };

struct JobFormat {
  const char* name;
  const char* what;
  // Creates the exporter. nullptr if this build lacks a library that the format
  // needs.
  std::unique_ptr<JobExporter> (*make)();
  // The maximum number of operations that its readers can handle. 0 means any
  // number.
  std::uint64_t most_operations = 0;
  ExportedAs as = ExportedAs::kFile;
  // True if the file is readable on a terminal.
  bool is_text = false;
};

// docs/use/export.md describes each format.
std::unique_ptr<JobExporter> makePerfettoExporter();
std::unique_ptr<JobExporter> makeFrExporter();
std::unique_ptr<JobExporter> makeFrJsonExporter();
std::unique_ptr<JobExporter> makeKinetoExporter();
std::unique_ptr<JobExporter> makeNcclTestsExporter();
std::unique_ptr<JobExporter> makeInspectorExporter();
std::unique_ptr<JobExporter> makeChakraExporter();
std::unique_ptr<JobExporter> makeOtf2Exporter();

// Returns the formats of other tools, as --format names them.
absl::Span<const JobFormat> jobFormats();

// Explains in a sentence why no folder can be created at `path`. Returns "" if
// the path does not exist or is an empty folder.
std::string whyNoNewFolder(const std::string& path);

class OneExportedFile : public ExportedFiles {
 public:
  explicit OneExportedFile(std::ostream& out) : out_(out) {}
  std::ostream& begin(const std::string&) override { return out_; }

 private:
  std::ostream& out_;
};

// Writes into a new or empty folder. Readers load all files of a folder, so
// other files in it would corrupt their result.
class ExportedFolder : public ExportedFiles {
 public:
  // Creates the folder. Check finish() for failure.
  explicit ExportedFolder(const std::string& path);

  std::ostream& begin(const std::string& name) override;
  std::string folder() const override { return path_; }
  void fail(const std::string& problem) override { problem_ = problem; }
  // Completes the last file. Returns false if the folder or one of its files
  // could not be written.
  bool finish();
  // Returns the reason of a failure, as a sentence.
  const std::string& problem() const { return problem_; }

 private:
  const std::string path_;
  std::string problem_;
  std::unique_ptr<PendingFile> file_;
  // Discards what is written after a failure.
  std::ostream nowhere_{nullptr};
};

struct Remark {
  std::uint64_t operations = 0;
  // Text that follows "N operations", such as " left out: ...".
  const char* what;
};

// Returns a text such as "2 operations left out: ...; 1 operation ...". Returns
// "" if all counts are 0.
std::string noteOf(std::initializer_list<Remark> remarks);

}  // namespace traced
