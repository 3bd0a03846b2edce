// DumpFiles gathers the Flight Recorder dumps among the inputs, and tells which
// rank each is of.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/reading/trace_set.h"
#include "analysis/stream/stream_table.h"
#include "base/result.h"

namespace traced {

// The rank that a file's name ends in: the number after its last "rank", or
// else its last number. Absent when it has none.
std::optional<std::uint32_t> rankInFileName(const std::string& path);

// Reads a dump once more. An Error when the file has changed since.
Result<StreamTable> loadDump(const std::string& path, const v1::Header& header);

// Not thread safe. Memory: one dump at a time.
class DumpFiles {
 public:
  enum class Kind { kDump, kRefused, kOther };

  // Looks into a file that is no trace. What is refused gives a warning.
  Kind add(const std::string& path, std::uint64_t bytes);

  // Adds what others found in files behind these.
  void append(DumpFiles later);

  // Adds what was found to `set`: a file and a stream per dump, of several
  // dumps of one rank only the newest, and sentences.
  void addTo(TraceSet& set) &&;

 private:
  struct Found {
    std::string path;
    std::uint64_t bytes = 0;
    std::string version;
    std::int64_t last_ns = 0;
    bool rank_from_name = false;
    v1::Header header;
  };

  void leaveOutOlder(TraceSet& set);
  void agreeOnWorldSize();
  void sayMore(TraceSet& set) const;

  std::vector<Found> found_;
  std::vector<std::string> warnings_;
};

}  // namespace traced
