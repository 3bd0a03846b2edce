// PythonWriter sends columns to a Python process with pyarrow
// (write_parquet.py), which writes Parquet files. This way, tracectl does not
// depend on a version of Arrow's libraries.

#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "cli/export/tables/table_file.h"

namespace traced {

// Not thread safe.
class PythonWriter : public TableOutput {
 public:
  // Starts Python and blocks until it is ready to write. All files are written
  // to `folder`, which must be new or empty.
  explicit PythonWriter(const std::string& folder);
  ~PythonWriter() override;
  PythonWriter(const PythonWriter&) = delete;
  PythonWriter& operator=(const PythonWriter&) = delete;

  bool wants(const char*) const override { return true; }
  bool ok() const override { return to_ >= 0; }
  int begin(const TableSpec& table, const std::string& path) override;
  void add(int file, const std::vector<TableColumn>& columns) override;
  void end(int file) override { send({{"to", file}, {"file_ends", true}}); }
  // Moves all files to their final names. Returns "" on success, else the
  // reason as a sentence; then no file remains.
  std::string finish();

 private:
  // Sends a request and the bytes that belong to it. Blocks while the pipe is
  // full. Does nothing after a failure; see ok().
  void send(const Json& asked, const std::string& data = "");
  void write(const char* data, std::size_t bytes);
  // Closes the pipe to Python.
  void closeInput();
  // Reads Python's last line and waits for the process to exit.
  void waitForEnd();

  std::string python_;
  // The last line that Python wrote.
  std::string answer_;
  int files_ = 0;
  pid_t child_ = -1;
  int to_ = -1;
  int from_ = -1;
};

// Source of write_parquet.py, embedded at build time.
extern const char* const kWriteParquet;

}  // namespace traced
