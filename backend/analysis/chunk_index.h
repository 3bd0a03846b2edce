// ChunkIndex scans files and sorts their chunks into streams. A file without
// chunks may be a Flight Recorder dump, which is a stream of its own.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "analysis/flight_recorder/dump_files.h"
#include "analysis/trace_set.h"
#include "trace_io/chunk_decoder.h"
#include "trace_io/chunk_scanner.h"

namespace traced {

// Not thread safe. Memory: about 50 bytes per chunk.
class ChunkIndex {
 public:
  ChunkIndex(std::vector<std::string> warnings, ReadProgress progress);

  // Every file is read once, chunk by chunk, and a dump twice. A file that is
  // neither, or cannot be read, becomes a warning.
  void addFiles(absl::Span<const std::string> paths);

  // The streams, sorted; selects none of them.
  TraceSet finish() &&;

 private:
  struct Indexed {
    TraceStream stream;
    bool has_header = false;
  };

  void addFile(const std::string& path);
  bool addChunk(const ScannedChunk& chunk);
  bool addMerge();
  void describeFile(const ChunkScanner& scanner, TraceFile file);
  void warn(std::string sentence);

  TraceSet set_;
  DumpFiles dumps_;
  ReadProgress progress_;
  ChunkDecoder decoder_;
  absl::flat_hash_map<std::uint64_t, Indexed> streams_;
  std::uint64_t bytes_done_ = 0;
  std::uint64_t bytes_total_ = 0;
};

}  // namespace traced
