#include "cli/export/tables/python_writer.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

extern char** environ;

namespace traced {
namespace {

// Returns the Python to run: the one in TRACECTL_PYTHON, the one beside
// tracectl, or "python3" of PATH.
std::string pythonToRun() {
  const char* named = std::getenv("TRACECTL_PYTHON");
  if (named && *named) return named;
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  std::string beside = (self.parent_path() / "python3").string();
  if (!error && ::access(beside.c_str(), X_OK) == 0) return beside;
  return "python3";
}

// Ignores SIGPIPE. write() reports that the reader has closed the pipe.
class PipeSignalIgnored {
 public:
  PipeSignalIgnored() : before_(std::signal(SIGPIPE, SIG_IGN)) {}
  ~PipeSignalIgnored() { std::signal(SIGPIPE, before_); }

 private:
  void (*before_)(int);
};

// With -c, Python searches the current folder for modules. The empty entry of
// sys.path is therefore removed.
constexpr const char* kStart =
    "import sys; sys.path[:] = filter(None, sys.path); exec(sys.argv.pop())";

pid_t startPython(const std::string& python, const std::string& folder,
                  int input, int output) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  const char* words[] = {python.c_str(), "-c",          kStart,
                         folder.c_str(), kWriteParquet, nullptr};
  pid_t child = -1;
  const int failed = posix_spawnp(&child, python.c_str(), &actions, nullptr,
                                  const_cast<char**>(words), environ);
  posix_spawn_file_actions_destroy(&actions);
  return failed == 0 ? child : -1;
}

// Returns a line with its newline, or without one at the end of the input.
std::string lineFrom(int fd) {
  std::string line;
  while (line.empty() || line.back() != '\n') {
    char c = 0;
    const ssize_t got = ::read(fd, &c, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    line.push_back(c);
  }
  return line;
}

}  // namespace

PythonWriter::PythonWriter(const std::string& folder) : python_(pythonToRun()) {
  int input[2] = {-1, -1};
  int output[2] = {-1, -1};
  if (::pipe2(input, O_CLOEXEC) != 0) return;
  if (::pipe2(output, O_CLOEXEC) == 0) {
    child_ = startPython(python_, folder, input[0], output[1]);
    ::close(output[1]);
    from_ = output[0];
  }
  ::close(input[0]);
  to_ = input[1];
  if (child_ >= 0) answer_ = lineFrom(from_);
  if (answer_ != "ready\n") closeInput();
}

PythonWriter::~PythonWriter() { waitForEnd(); }

void PythonWriter::closeInput() {
  if (to_ >= 0) ::close(std::exchange(to_, -1));
}

void PythonWriter::write(const char* data, std::size_t bytes) {
  const PipeSignalIgnored ignored;
  while (bytes > 0 && ok()) {
    const ssize_t written = ::write(to_, data, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return closeInput();
    data += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

void PythonWriter::send(const Json& asked, const std::string& data) {
  const std::string line = jsonText(asked, -1) + "\n";
  write(line.data(), line.size());
  write(data.data(), data.size());
}

int PythonWriter::begin(const TableSpec& table, const std::string& path) {
  const auto kindOf = [](const ColumnInfo& column) {
    if (column.kind == ColumnKind::kText) return "text";
    if (column.kind == ColumnKind::kReal) return "real";
    return column.kind == ColumnKind::kFlag ? "flag" : "number";
  };
  Json columns = Json::array();
  for (const ColumnInfo* column : table.columns) {
    columns.push_back({{"name", column->name},
                       {"kind", kindOf(*column)},
                       {"repeats", column->repeats}});
  }
  send({{"to", files_},
        {"file", path},
        {"columns", std::move(columns)},
        {"order", table.order}});
  return files_++;
}

void PythonWriter::add(int file, const std::vector<TableColumn>& columns) {
  const std::size_t rows = columns.front().rows();
  std::string data;
  Json packed = Json::array();
  for (const TableColumn& column : columns) packed.push_back(column.pack(data));
  send({{"to", file},
        {"rows", rows},
        {"bytes", data.size()},
        {"columns", std::move(packed)}},
       data);
}

void PythonWriter::waitForEnd() {
  closeInput();
  if (child_ < 0) return;
  if (answer_ == "ready\n") answer_ = lineFrom(from_);
  ::close(from_);
  while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) continue;
  child_ = -1;
}

std::string PythonWriter::finish() {
  if (child_ < 0) return absl::StrCat(python_, ": could not be run");
  send({{"ends", true}});
  waitForEnd();
  if (answer_ == "whole\n") return "";
  if (!answer_.empty()) return std::string(absl::StripSuffix(answer_, "\n"));
  return absl::StrCat(python_, ": ended before the Parquet files were written");
}

}  // namespace traced
