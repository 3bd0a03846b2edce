#include "cli/live_set.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "absl/strings/str_cat.h"
#include "analysis/stream_window.h"
#include "cli/left_over.h"

namespace traced {
namespace {

// Compressed: some hundred thousand operations.
constexpr std::uint64_t kWindowBytes = 4 << 20;

// The writer thread may have written meanwhile what the ring had: what is then
// in the trace twice is left out, with the claim that nothing else happened.
void dropStale(TraceSet& set, const std::string& rings) {
  const auto file = std::find_if(
      set.files.begin(), set.files.end(),
      [&rings](const TraceFile& each) { return each.path == rings; });
  if (file == set.files.end()) return;
  const auto index = static_cast<std::uint32_t>(file - set.files.begin());
  for (TraceStream& stream : set.streams) {
    std::uint64_t written = 0;
    for (const ChunkRef& chunk : stream.chunks) {
      if (chunk.file != index) written = std::max(written, chunk.end_position);
    }
    const bool stale = std::any_of(
        stream.chunks.begin(), stream.chunks.end(), [&](const ChunkRef& chunk) {
          return chunk.file == index && chunk.first_position < written;
        });
    if (!stale) continue;
    std::erase_if(stream.chunks, [index](const ChunkRef& chunk) {
      return chunk.file == index;
    });
  }
}

}  // namespace

LiveSet::MemoryFile::MemoryFile(const std::string& content)
    : fd_(memfd_create("traced-rings", MFD_CLOEXEC)) {
  std::size_t done = 0;
  while (fd_ >= 0 && done < content.size()) {
    const ssize_t put =
        write(fd_, content.data() + done, content.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) break;
    done += static_cast<std::size_t>(put);
  }
}

LiveSet::MemoryFile::~MemoryFile() {
  if (fd_ >= 0) close(fd_);
}

std::string LiveSet::MemoryFile::path() const {
  return absl::StrCat("/proc/self/fd/", fd_);
}

std::optional<TraceSet> LiveSet::look(bool whole) {
  // The rings come first: what is no longer in them is in the traces by then.
  rings_ = lookIntoRings(ringDirectories(), inputs_);
  std::string chunks;
  for (const LiveRing& ring : rings_) chunks += ring.chunks;
  of_rings_.emplace(chunks);
  std::vector<std::string> paths = inputs_;
  if (!chunks.empty()) paths.push_back(of_rings_->path());
  Result<TraceSet> set = openTraceSet(paths);
  if (!set) return std::nullopt;
  dropStale(*set, of_rings_->path());
  if (!whole) keepLatest(*set, kWindowBytes);
  return *std::move(set);
}

}  // namespace traced
