// Indexes the chunks of files.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/reading/dump_files.h"
#include "analysis/reading/trace_set.h"
#include "trace_io/chunk_decoder.h"
#include "trace_io/chunk_scanner.h"

namespace traced {

// Counts the progress of all indexing threads. add() is thread safe once the
// total is set. The callback runs only on the thread that created this object.
class IndexProgress {
 public:
  explicit IndexProgress(ReadProgress report) : report_(std::move(report)) {}

  bool hasListener() const { return report_ != nullptr; }
  void setTotal(std::uint64_t bytes) { total_ = bytes; }
  void add(std::uint64_t bytes) {
    const std::uint64_t done = done_ += bytes;
    if (report_ && reporter_ == std::this_thread::get_id())
      report_(done, total_);
  }

 private:
  const ReadProgress report_;
  const std::thread::id reporter_ = std::this_thread::get_id();
  std::uint64_t total_ = 0;
  std::atomic<std::uint64_t> done_ = 0;
};

// ChunkIndex scans files and sorts their chunks into streams. A file without
// chunks may be a Flight Recorder dump, which is a stream of its own.
//
// Not thread safe. Memory: about 50 bytes per chunk.
class ChunkIndex {
 public:
  // Adds a file. Reads it once, chunk by chunk, or twice if it is a dump. Other
  // or unreadable files become warnings.
  void addFile(const std::string& path, ChunkDecoder& decoder,
               IndexProgress& progress);
  // Appends the result of another index, built from later files.
  void append(ChunkIndex later);

  // Returns the streams, sorted and none selected. `warnings` precede the
  // index's own warnings.
  TraceSet finish(std::vector<std::string> warnings) &&;

 private:
  struct Indexed {
    TraceStream stream;
    bool has_header = false;
  };

  bool addChunk(const ScannedChunk& chunk, ChunkDecoder& decoder);
  bool addMerge(ChunkDecoder& decoder);
  void readHeader(Indexed& indexed, std::uint64_t id, ChunkDecoder& decoder);
  ChunkRef refTo(const ScannedChunk& chunk, const v1::Chunk& fields) const;
  void describeFile(const ChunkScanner& scanner, TraceFile file);
  Indexed& streamOf(std::uint64_t id);
  void addStreams();
  void warn(std::string sentence);

  TraceSet set_;
  DumpFiles dumps_;
  std::vector<Indexed> streams_;
  absl::flat_hash_map<std::uint64_t, std::size_t> index_by_id_;
};

}  // namespace traced
