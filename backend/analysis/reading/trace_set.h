// TraceSet is what a command was given to read: an index of the chunks of all
// input files, sorted into streams. It holds no rows; streams are loaded from
// it one by one.

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

// Where a chunk lies.
struct ChunkRef {
  std::uint32_t file = 0;         // index into TraceSet::files
  std::uint64_t body_offset = 0;  // of the sync word's tag
  std::uint32_t body_bytes = 0;
  std::uint8_t framing_bytes = 0;  // in front of the body
  std::uint64_t first_position = 0;
  std::uint64_t end_position = 0;
  std::uint64_t checksum = 0;
};

struct TraceFile {
  std::string path;
  std::uint64_t bytes = 0;
  std::uint64_t chunks = 0;
  std::uint64_t unusable_bytes = 0;
  // No file of the inputs, but what was read from rings.
  bool from_rings = false;
};

// What one process recorded.
struct TraceStream {
  // But for what is in `header_maps`.
  v1::Header header;
  // Its labels, settings and versions of libraries, serialized: few commands
  // ask for them, and they are most of it.
  std::string header_maps;
  // Sorted by position; the same chunk never twice.
  std::vector<ChunkRef> chunks;
  // Chunks before the first were left out on purpose; see keepLatest().
  bool begins_later = false;
  // The file that is the stream, if it is a Flight Recorder dump: an index into
  // TraceSet::files. It has no chunks then.
  std::optional<std::uint32_t> dump_file;
  RingState ring = RingState::kNotPolled;
  // Only wall clocks of hosts tell which start of its job it is of.
  bool start_by_clock = false;
};

// With all that is in it.
v1::Header wholeHeader(const TraceStream& stream);

// How streams are sorted: by rank, and the newest first within a rank.
bool comesFirst(const TraceStream& a, const TraceStream& b);

struct TraceSet {
  // The files that hold chunks, or remains of them, or are dumps.
  std::vector<TraceFile> files;
  // All streams, sorted; see comesFirst().
  std::vector<TraceStream> streams;
  // Indices of the streams of the run to look at; see stream_selection.h.
  std::vector<std::size_t> selected;
  // Nothing proves that the streams selected are of one run: others of the same
  // name went on beside them, or only wall clocks tell which start they are of.
  bool may_mix_runs = false;
  // Of each merged file, the clocks as it tells them.
  std::vector<MergedClocks> clocks;
  // Sentences about the inputs, also those a merged file brought along, and
  // about the streams that were left out.
  std::vector<std::string> input_warnings;
  std::vector<std::string> selection_warnings;
  // Bytes that could not be used, also those a merged file tells of. Chunks
  // refused for their content are found only when their stream is loaded.
  std::uint64_t unusable_bytes = 0;
};

// Called now and then with how many bytes are done and how many there are.
using ReadProgress = std::function<void(std::uint64_t, std::uint64_t)>;

// Reads files and directories. Damage is a warning. Selects no streams.
TraceSet indexTraces(absl::Span<const std::string> paths,
                     const ReadProgress& progress = {});
struct RunChoice;  // see stream_selection.h

// Selects the streams of the run that was chosen, by default of the newest, of
// what was read from `paths`. An Error says that nothing is readable.
Result<TraceSet> selectRun(TraceSet set, absl::Span<const std::string> paths,
                           const RunChoice& choice);
// Both.
Result<TraceSet> openTraceSet(absl::Span<const std::string> paths,
                              const ReadProgress& progress = {});
Result<TraceSet> openTraceSet(absl::Span<const std::string> paths,
                              const ReadProgress& progress,
                              const RunChoice& choice);

// Adds the chunks of a file in memory, read from rings, to their streams,
// behind all others. A stream that had none is new. Before streams are
// selected.
void addRingChunks(TraceSet& set, const std::string& path);

}  // namespace traced
