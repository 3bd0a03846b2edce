#include "analysis/reading/index_files.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <thread>
#include <utility>
#include <vector>

#include "analysis/reading/index_progress.h"
#include "base/in_threads.h"

namespace traced {
namespace {

// Some files at a time, so that no thread is left with many.
constexpr std::size_t kMostIndexers = 8;
constexpr std::size_t kMostFiles = 64;

class FileIndexer {
 public:
  FileIndexer(absl::Span<const std::string> paths, std::size_t threads,
              IndexProgress& progress)
      : paths_(paths),
        bunch_(std::clamp<std::size_t>(paths.size() / (8 * threads), 1,
                                       kMostFiles)),
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

}  // namespace

ChunkIndex indexFiles(absl::Span<const std::string> paths,
                      const ReadProgress& told) {
  IndexProgress progress(told);
  if (progress.isTold()) progress.setTotal(bytesOf(paths));
  const std::size_t threads = std::clamp<std::size_t>(
      std::min<std::size_t>(std::thread::hardware_concurrency(), paths.size()),
      1, kMostIndexers);
  FileIndexer indexer(paths, threads, progress);
  inThreads(threads, [&indexer](std::size_t) { indexer.run(); });
  return std::move(indexer).finish();
}

}  // namespace traced
