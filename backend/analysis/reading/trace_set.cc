#include "analysis/reading/trace_set.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analysis/reading/chunk_index.h"
#include "analysis/reading/input_files.h"
#include "analysis/reading/settle_attempts.h"
#include "analysis/reading/stream_selection.h"
#include "base/threads.h"

namespace traced {
namespace {

// Limit on files per bunch, so that no thread is left with many.
constexpr std::size_t kMaxIndexers = 8;
constexpr std::size_t kMaxFiles = 64;

class FileIndexer {
 public:
  FileIndexer(absl::Span<const std::string> paths, std::size_t threads,
              IndexProgress& progress)
      : paths_(paths),
        bunch_(std::clamp<std::size_t>(paths.size() / (8 * threads), 1,
                                       kMaxFiles)),
        parts_((paths.size() + bunch_ - 1) / bunch_),
        progress_(progress) {}

  void run() {
    ChunkDecoder decoder;
    for (std::size_t i = next_++; i < parts_.size(); i = next_++) {
      for (const std::string& path : paths_.subspan(i * bunch_, bunch_)) {
        parts_[i].addFile(path, decoder, progress_);
      }
    }
  }

  ChunkIndex finish() && {
    ChunkIndex all;
    for (ChunkIndex& part : parts_) all.append(std::move(part));
    return all;
  }

 private:
  const absl::Span<const std::string> paths_;
  const std::size_t bunch_;
  std::vector<ChunkIndex> parts_;
  std::atomic<std::size_t> next_ = 0;
  IndexProgress& progress_;
};

std::uint64_t bytesOf(absl::Span<const std::string> paths) {
  std::uint64_t total = 0;
  for (const std::string& path : paths) {
    std::error_code error;
    const std::uintmax_t bytes = std::filesystem::file_size(path, error);
    if (!error) total += bytes;
  }
  return total;
}

// Indexes on as many threads as are useful. The result does not depend on their
// number.
ChunkIndex indexFiles(absl::Span<const std::string> paths,
                      const ReadProgress& listener) {
  IndexProgress progress(listener);
  if (progress.hasListener()) progress.setTotal(bytesOf(paths));
  const std::size_t threads = std::clamp<std::size_t>(
      std::min<std::size_t>(std::thread::hardware_concurrency(), paths.size()),
      1, kMaxIndexers);
  FileIndexer indexer(paths, threads, progress);
  inThreads(threads, [&indexer](std::size_t) { indexer.run(); });
  return std::move(indexer).finish();
}

}  // namespace

namespace {

// Returns whether warnings only state that files are not traces. Listing every
// file of a wrong folder would not help.
bool holdsNoTraces(const std::vector<std::string>& warnings) {
  return std::all_of(warnings.begin(), warnings.end(),
                     [](const std::string& warning) {
                       return absl::EndsWith(warning, ": not a trace") ||
                              (absl::EndsWith(warning, ": empty") &&
                               !absl::EndsWith(warning, ".traced: empty"));
                     });
}

Error nothingReadable(absl::Span<const std::string> paths,
                      const std::vector<std::string>& warnings) {
  std::error_code none;
  const bool one_folder =
      paths.size() == 1 && std::filesystem::is_directory(paths[0], none);
  if (one_folder && holdsNoTraces(warnings)) {
    return Error{absl::StrCat("no traces below ", paths[0])};
  }
  constexpr std::size_t kMaxReasons = 5;
  const std::size_t count = std::min(warnings.size(), kMaxReasons);
  std::string reasons =
      absl::StrJoin(absl::MakeSpan(warnings).subspan(0, count), "; ");
  if (warnings.size() > count) {
    absl::StrAppend(&reasons, "; and ", warnings.size() - count, " more");
  }
  if (reasons.empty()) reasons = "no files";
  return Error{absl::StrCat("nothing readable in the inputs: ", reasons)};
}

}  // namespace

v1::Header wholeHeader(const TraceStream& stream) {
  v1::Header header = stream.header;
  v1::Header maps;
  if (maps.ParseFromString(stream.header_maps)) header.MergeFrom(maps);
  return header;
}

bool comesFirst(const TraceStream& a, const TraceStream& b) {
  if (a.header.rank() != b.header.rank()) {
    return a.header.rank() < b.header.rank();
  }
  const std::int64_t a_ns = a.header.started().realtime_ns();
  const std::int64_t b_ns = b.header.started().realtime_ns();
  return a_ns != b_ns ? a_ns > b_ns
                      : a.header.stream_id() < b.header.stream_id();
}

TraceSet indexTraces(absl::Span<const std::string> paths,
                     const ReadProgress& progress) {
  InputFiles inputs = findInputFiles(paths);
  return indexFiles(inputs.paths, progress).finish(std::move(inputs.warnings));
}

Result<TraceSet> selectRun(TraceSet set, absl::Span<const std::string> paths,
                           const RunChoice& choice) {
  if (set.streams.empty()) return nothingReadable(paths, set.input_warnings);
  settleAttempts(set);
  Result<TraceSet> chosen = chooseRun(std::move(set), choice);
  if (!chosen) return chosen;
  selectStreams(*chosen);
  if (chosen->selected.empty()) {
    return nothingReadable(paths, chosen->selection_warnings);
  }
  return chosen;
}

Result<TraceSet> openTraceSet(absl::Span<const std::string> paths,
                              const ReadProgress& progress) {
  return openTraceSet(paths, progress, {});
}

Result<TraceSet> openTraceSet(absl::Span<const std::string> paths,
                              const ReadProgress& progress,
                              const RunChoice& choice) {
  return selectRun(indexTraces(paths, progress), paths, choice);
}

void addRingChunks(TraceSet& set, const std::string& path) {
  const std::vector<std::string> paths = {path};
  TraceSet more = indexFiles(paths, {}).finish({});
  if (more.files.empty()) return;
  const auto file = static_cast<std::uint32_t>(set.files.size());
  set.files.push_back(std::move(more.files.front()));
  set.files.back().from_rings = true;
  for (TraceStream& stream : more.streams) {
    for (ChunkRef& chunk : stream.chunks) chunk.file = file;
    const auto known = std::find_if(
        set.streams.begin(), set.streams.end(), [&](const TraceStream& each) {
          return each.header.stream_id() == stream.header.stream_id();
        });
    if (known != set.streams.end()) {
      known->chunks.insert(known->chunks.end(), stream.chunks.begin(),
                           stream.chunks.end());
    } else {
      set.streams.push_back(std::move(stream));
    }
  }
  std::sort(set.streams.begin(), set.streams.end(), comesFirst);
}

}  // namespace traced
