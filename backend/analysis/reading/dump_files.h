// DumpFiles collects the Flight Recorder dumps among the inputs and determines
// their ranks.

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

// Returns the number after the last "rank" in a file's name, else its last
// number, else nullopt.
std::optional<std::uint32_t> rankInFileName(const std::string& path);

// Reads a dump again. Returns an Error if the file has changed.
Result<StreamTable> loadDump(const std::string& path, const v1::Header& header);

// Not thread safe. Memory: one dump at a time.
class DumpFiles {
 public:
  enum class Kind { kDump, kRefused, kOther };

  // Examines a file that is not a trace. A refused dump adds a warning.
  Kind add(const std::string& path, std::uint64_t bytes);

  // Appends the result of another instance, built from later files.
  void append(DumpFiles later);

  // Adds a file and a stream per dump to `set`, and the warnings. Only the
  // newest of several dumps of a rank is used.
  void addTo(TraceSet& set) &&;

 private:
  struct Found {
    std::string path;
    std::uint64_t bytes = 0;
    std::string version;
    std::int64_t last_ns = 0;
    bool rank_from_name = false;
    bool was_moved = false;
    v1::Header header;
  };

  void leaveOutOlder(TraceSet& set);
  void agreeOnWorldSize();
  // Adds warnings about ranks taken from file names and about mixed versions.
  void addNotes(TraceSet& set) const;

  std::vector<Found> found_;
  std::vector<std::string> warnings_;
};

}  // namespace traced
