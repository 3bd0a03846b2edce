// PythonWriter has a Python with pyarrow write Parquet files: it is sent
// columns and writes them (write_parquet.py). So nothing of tracectl's depends
// on a version of Arrow's libraries.

#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "cli/export/tables/table_file.h"

namespace traced {

// Not thread safe.
class PythonWriter : public TableOutput {
 public:
  // All files will be in `folder`, which is not there yet or empty. Comes back
  // when Python is ready to write there.
  explicit PythonWriter(const std::string& folder);
  ~PythonWriter() override;
  PythonWriter(const PythonWriter&) = delete;
  PythonWriter& operator=(const PythonWriter&) = delete;

  bool wants(const char*) const override { return true; }
  bool ok() const override { return to_ >= 0; }
  int begin(const TableSpec& table, const std::string& path) override;
  void add(int file, const std::vector<TableColumn>& columns) override;
  void end(int file) override { send({{"to", file}, {"file_ends", true}}); }
  // Has all files put in place. Returns why that could not be done, a sentence,
  // and then none is; "" when it was.
  std::string finish();

 private:
  // Something to do, and the bytes that belong to it.
  void send(const Json& asked, const std::string& data = "");
  void write(const char* data, std::size_t bytes);
  void closeInput();
  void waitForEnd();

  std::string python_;
  // The line that it said last.
  std::string said_;
  int files_ = 0;
  pid_t child_ = -1;
  int to_ = -1;
  int from_ = -1;
};

// Its program, put into tracectl when that is built.
extern const char* const kWriteParquet;

}  // namespace traced
