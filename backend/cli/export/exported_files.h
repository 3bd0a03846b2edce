// The files that a JobExporter writes: one stream, or those of a new folder.

#pragma once

#include <memory>
#include <ostream>
#include <string>

#include "analysis/merge/pending_file.h"
#include "cli/export/job_exporter.h"

namespace traced {

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

}  // namespace traced
