// What is known of the lines of a history before one is added.

#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace traced {

class LinesThere {
 public:
  // `id`: of the run that is to be added.
  explicit LinesThere(std::string id) : id_(std::move(id)) {}

  // Reads a file from its beginning. False, and errno, where it cannot be read.
  bool read(int fd);

  bool isHistory() const { return is_history_; }
  bool hasRun() const { return has_run_; }
  bool endsInNewline() const { return ends_in_newline_; }

 private:
  void look(std::string_view line);

  const std::string id_;
  bool is_first_ = true;
  bool is_history_ = true;
  bool has_run_ = false;
  bool ends_in_newline_ = true;
};

}  // namespace traced
