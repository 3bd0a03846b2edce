#include "ring_io/sinks/trace_places.h"

#include <filesystem>

#include "ring_io/sinks/trace_parts.h"
#include "trace_io/byte_source.h"
#include "trace_io/chunk_decoder.h"
#include "trace_io/chunk_scanner.h"

namespace traced {
namespace {

namespace fs = std::filesystem;

// 0: none.
std::uint64_t firstStreamIn(const std::string& path) {
  auto source = FileSource::open(path);
  if (!source) return 0;
  ChunkScanner scanner(**source);
  ChunkDecoder decoder;
  const auto chunk = scanner.next();
  const bool parsed = chunk && decoder.parse(chunk->body) == DecodeStatus::kOk;
  return parsed ? decoder.chunk().stream_id() : 0;
}

class Finder {
 public:
  void look(const std::string& path) {
    std::error_code error;
    if (!fs::is_directory(path, error)) return add(path);
    fs::recursive_directory_iterator entry(
        path, fs::directory_options::skip_permission_denied, error);
    for (; !error && entry != fs::recursive_directory_iterator();
         entry.increment(error)) {
      std::error_code entry_error;
      if (entry->is_regular_file(entry_error)) add(entry->path().string());
    }
  }

  std::map<std::uint64_t, std::string> take() && { return std::move(places_); }

 private:
  void add(const std::string& path) {
    if (stemOf(path).empty()) return;
    if (const std::uint64_t stream = firstStreamIn(path)) {
      places_.try_emplace(stream, part0Of(path));
    }
  }

  std::map<std::uint64_t, std::string> places_;
};

}  // namespace

std::map<std::uint64_t, std::string> placesOf(
    const std::vector<std::string>& paths) {
  Finder finder;
  for (const std::string& path : paths) finder.look(path);
  return std::move(finder).take();
}

bool isSameFile(const std::string& a, const std::string& b) {
  std::error_code error;
  return fs::equivalent(a, b, error) && !error;
}

}  // namespace traced
