#include "cli/inputs/live_set.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/reading/trace_set.h"
#include "cli/inputs/left_over.h"
#include "ring_io/settings/process_info.h"
#include "trace_io/field_reader.h"

namespace traced {
namespace {

WrittenChunks writtenOf(const TraceSet& set, const TraceStream* stream) {
  WrittenChunks written;
  if (!stream) return written;
  std::map<std::uint32_t, std::size_t> files;
  for (const ChunkRef& chunk : stream->chunks) {
    const auto [file, is_new] =
        files.try_emplace(chunk.file, written.files.size());
    if (is_new) written.files.push_back(set.files[chunk.file].path);
    written.chunks.push_back({file->second, chunk.body_offset, chunk.body_bytes,
                              chunk.end_position});
  }
  return written;
}

// Returns the stream with this id, or nullptr.
TraceStream* find(TraceSet& set, std::uint64_t stream_id) {
  const auto found = std::find_if(
      set.streams.begin(), set.streams.end(), [&](const TraceStream& stream) {
        return stream.header.stream_id() == stream_id;
      });
  return found == set.streams.end() ? nullptr : &*found;
}

// Returns the directory of the process's ring. Returns "" if it is unknown or
// from another boot or host: such a path may block here, as on a network file
// system.
std::string ringDirectoryOf(const TraceStream& stream) {
  static const std::string boot_id = readHostInfo().boot_id;
  if (stream.header.boot_id() != boot_id) return "";
  const std::string name = "TRACED_RING_DIR";
  std::string directory;
  const auto take = [&](const v1::Header& header) {
    const auto setting = header.settings().find(name);
    if (setting != header.settings().end()) directory = setting->second;
  };
  take(stream.header);
  // Parses only the entry for this variable.
  FieldReader entries(stream.header_maps);
  FieldReader::Field entry;
  while (!entries.atEnd() && entries.next(entry)) {
    if (entry.whole.find(name) == std::string_view::npos) continue;
    v1::Header one;
    if (one.ParseFromString(std::string(entry.whole))) take(one);
  }
  return directory;
}

// Returns the owner of a file. Absent if the file cannot be examined.
std::optional<uid_t> ownerOf(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return std::nullopt;
  return status.st_uid;
}

}  // namespace

void LiveSet::warn(const RingFile& ring, const std::string& why) {
  warnings_.push_back(absl::StrCat(
      "the ring ", ring.path, " of one of these traces is not used: ", why));
}

std::vector<RingFile> LiveSet::findOurs() const {
  std::vector<std::string> directories = ringDirectories();
  directories.insert(directories.end(), directories_.begin(),
                     directories_.end());
  std::vector<RingFile> rings = findRings(directories);
  std::erase_if(rings, [this](const RingFile& ring) {
    return !streams_.contains(ring.stream_id) && !namesOneOf(ring, inputs_);
  });
  return rings;
}

// Returns whether a ring may be copied. Any user can create a file of any name
// in shared memory. The owner must be this user or, for root, the owner of the
// trace.
bool LiveSet::isTrusted(const RingFile& ring) const {
  if (ring.uid == geteuid()) return true;
  if (geteuid() != 0) return false;
  const auto known = streams_.find(ring.stream_id);
  const bool is_known = known != streams_.end() && known->second;
  return (is_known ? known->second : traceOwner(ring)) == ring.uid;
}

void LiveSet::readRings() {
  rings_.clear();
  warnings_.clear();
  tried_.clear();
  for (const RingFile& ring : findOurs()) {
    if (!tried_.insert(ring.path).second) continue;
    if (!isTrusted(ring)) {
      warn(ring, "it is of another user than the trace");
      continue;
    }
    auto reading = readRing(ring);
    if (!reading) continue;
    if (!*reading) {
      warn(ring, reading->error().message);
      continue;
    }
    rings_.push_back(std::move(**reading));
  }
}

// Learns streams and ring directories from the traces. Returns whether unread
// rings may exist. A ring may name the old path of a moved trace. A process
// that died before its first chunk may have its ring in another directory.
bool LiveSet::learn(const TraceSet& set) {
  for (const TraceStream& stream : set.streams) {
    std::optional<uid_t>& owner = streams_[stream.header.stream_id()];
    if (!stream.chunks.empty()) {
      owner = ownerOf(set.files[stream.chunks.back().file].path);
    }
    const std::string directory = ringDirectoryOf(stream);
    if (directory.starts_with('/')) directories_.insert(directory);
  }
  const std::vector<RingFile> ours = findOurs();
  return std::any_of(ours.begin(), ours.end(), [this](const RingFile& ring) {
    return !tried_.contains(ring.path);
  });
}

void LiveSet::add(TraceSet& set) {
  std::string all;
  std::vector<std::pair<std::uint64_t, RingState>> states;
  for (RingReading& ring : rings_) {
    const WrittenChunks written = writtenOf(set, find(set, ring.stream_id));
    const RingFile file{ring.path, ring.stream_id, ring.uid};
    // A ring may claim another stream than its file name.
    if (!isTrusted(file)) {
      warn(file, "it is of another user than the trace");
      continue;
    }
    Result<std::string> chunks = chunksBeyond(ring, written);
    // Frees the segment, which is no longer needed.
    const SegmentCopy done = std::exchange(ring.segment, {});
    if (!chunks) {
      warn(file, chunks.error().message);
      continue;
    }
    all += *chunks;
    states.emplace_back(ring.stream_id,
                        ring.alive ? RingState::kAlive : RingState::kDead);
  }
  of_rings_.emplace(all);
  if (!of_rings_->isWhole()) {
    warnings_.push_back("no memory for what was read from rings");
  } else if (!all.empty()) {
    addRingChunks(set, of_rings_->path());
  }
  for (TraceStream& stream : set.streams) stream.ring = RingState::kNone;
  for (const auto& [stream_id, state] : states) {
    if (TraceStream* stream = find(set, stream_id)) stream->ring = state;
  }
  set.input_warnings.insert(set.input_warnings.end(), warnings_.begin(),
                            warnings_.end());
}

Result<TraceSet> LiveSet::refresh(const ReadProgress& progress) {
  // Read rings first: records that leave a ring meanwhile are in the traces by
  // then.
  for (bool torn = false;;) {
    readRings();
    TraceSet set = indexTraces(inputs_, progress);
    if (learn(set)) continue;
    // A chunk may be incomplete because a process was writing it. Read again
    // once.
    const bool lives =
        std::any_of(rings_.begin(), rings_.end(),
                    [](const RingReading& ring) { return ring.alive; });
    if (lives && set.unusable_bytes > 0 && !std::exchange(torn, true)) continue;
    add(set);
    return selectRun(std::move(set), inputs_, choice_);
  }
}

}  // namespace traced
