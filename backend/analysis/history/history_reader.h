// Reads a file of runs into a History.

#pragma once

#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "analysis/history/history.h"
#include "analysis/history/history_line.h"
#include "base/result.h"

namespace traced {

// Takes lines one by one. What cannot be read is left out and told. Memory: in
// proportion to the lines.
class HistoryBuilder {
 public:
  void add(std::string_view line);
  // Runs by the time at which they started. An error where there is none.
  Result<History> finish() &&;

 private:
  void take(HistoryLine line);
  HistoryKey* keyOf(const std::optional<RunKey>& key);
  void leaveOut(const std::string& why);

  History history_;
  std::map<std::optional<RunKey>, std::size_t> index_by_key_;
  absl::flat_hash_map<std::string, std::size_t> line_by_id_;
  std::size_t lines_ = 0;
  std::size_t left_out_ = 0;
  bool too_many_runs_ = false;
  bool too_many_keys_ = false;
};

// The error is a sentence that names the file.
Result<History> readHistory(const std::string& path);

}  // namespace traced
