// TraceSet is the input of a command: an index of the chunks of all files,
// sorted into streams. It has no rows; streams are loaded one by one.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "analysis/stream/clock_models.h"
#include "analysis/stream/stream_table.h"
#include "base/result.h"
#include "traced/v1/trace.pb.h"

namespace traced {

// The location of a chunk.
struct ChunkRef {
  std::uint32_t file = 0;         // index into TraceSet::files
  std::uint64_t body_offset = 0;  // offset of the sync word's tag
  std::uint32_t body_bytes = 0;
  std::uint8_t framing_bytes = 0;  // bytes before the body
  std::uint64_t first_position = 0;
  std::uint64_t end_position = 0;
  std::uint64_t checksum = 0;
};

struct TraceFile {
  std::string path;
  std::uint64_t bytes = 0;
  std::uint64_t chunks = 0;
  std::uint64_t unusable_bytes = 0;
  // Read from shared memory, not from the input files.
  bool from_rings = false;
};

// The recording of one process.
struct TraceStream {
  // Without the fields in `header_maps`.
  v1::Header header;
  // Labels, settings and library versions, serialized. They are most of a
  // header, and few commands need them.
  std::string header_maps;
  // Sorted by position, without duplicates.
  std::vector<ChunkRef> chunks;
  // Earlier chunks were left out on purpose; see keepLatest().
  bool begins_later = false;
  // For a Flight Recorder dump: its index in TraceSet::files. A dump has no
  // chunks.
  std::optional<std::uint32_t> dump_file;
  RingState ring = RingState::kNotPolled;
  // Only wall clocks show to which start of its job it belongs.
  bool start_by_clock = false;
};

// Returns the header including `header_maps`.
v1::Header wholeHeader(const TraceStream& stream);

// Orders streams by rank, newest first within a rank.
bool comesFirst(const TraceStream& a, const TraceStream& b);

struct TraceSet {
  // Files with chunks, with damaged chunks, or dumps.
  std::vector<TraceFile> files;
  // Sorted, see comesFirst().
  std::vector<TraceStream> streams;
  // Indices of the streams of the selected run; see stream_selection.h.
  std::vector<std::size_t> selected;
  // It is not proven that the selected streams belong to one run: streams of
  // the same name overlap with them, only some ranks have older ones, or only
  // wall clocks show their start.
  bool may_mix_runs = false;
  // The clock models of each merged file.
  std::vector<MergedClocks> clocks;
  // Warnings about the inputs, including those stored in merged files, and
  // about streams that were left out.
  std::vector<std::string> input_warnings;
  std::vector<std::string> selection_warnings;
  // Bytes that could not be used, including those reported in merged files.
  // Chunks refused because of their content are found only when their stream is
  // loaded.
  std::uint64_t unusable_bytes = 0;
};

// Called from time to time with the bytes done and the total.
using ReadProgress = std::function<void(std::uint64_t, std::uint64_t)>;

// Indexes files and directories. Damage becomes a warning. Selects no streams.
TraceSet indexTraces(absl::Span<const std::string> paths,
                     const ReadProgress& progress = {});
struct RunChoice;  // see stream_selection.h

// Selects the streams of a run, by default the newest. `paths`: the inputs, for
// messages. Fails if nothing is readable or no such attempt exists.
Result<TraceSet> selectRun(TraceSet set, absl::Span<const std::string> paths,
                           const RunChoice& choice);
// Indexes files and selects a run.
Result<TraceSet> openTraceSet(absl::Span<const std::string> paths,
                              const ReadProgress& progress = {});
Result<TraceSet> openTraceSet(absl::Span<const std::string> paths,
                              const ReadProgress& progress,
                              const RunChoice& choice);

// Adds chunks read from rings, stored in a file in memory, after all others of
// their streams. Streams that are only in the ring are added. Call before
// streams are selected.
void addRingChunks(TraceSet& set, const std::string& path);

}  // namespace traced
