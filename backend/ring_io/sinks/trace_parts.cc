#include "ring_io/sinks/trace_parts.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>

#include "base/answering_path.h"
#include "trace_io/byte_source.h"
#include "trace_io/chunk_decoder.h"
#include "trace_io/chunk_scanner.h"

namespace traced {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".traced";
constexpr std::string_view kPart = ".part-";

// Returns the number of a part. Accepts only the canonical decimal spelling.
std::optional<std::uint32_t> partNumber(std::string_view digits) {
  std::uint32_t number = 0;
  const char* end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, number);
  if (error != std::errc{} || rest != end || number == 0) return std::nullopt;
  return std::to_string(number) == digits ? std::optional(number)
                                          : std::nullopt;
}

// Resolves symbolic links as far as the path exists and its file system
// responds. Removes a trailing slash.
std::string canonical(const std::string& path) {
  std::error_code error;
  fs::path result = answersInTime(path)
                        ? fs::weakly_canonical(path, error)
                        : fs::absolute(path, error).lexically_normal();
  if (error) result = path;
  return result.has_filename() ? result.string()
                               : result.parent_path().string();
}

}  // namespace

std::string partPath(const std::string& stem, std::uint32_t number) {
  std::string path = stem;
  if (number != 0) path += std::string(kPart) + std::to_string(number);
  return path += kSuffix;
}

std::string stemOf(const std::string& part_0) {
  const bool named =
      part_0.size() > kSuffix.size() && part_0.ends_with(kSuffix);
  return named ? part_0.substr(0, part_0.size() - kSuffix.size()) : "";
}

std::string part0Of(const std::string& path) {
  const std::string stem = stemOf(path);
  const std::size_t part = stem.rfind(kPart);
  if (part == std::string::npos) return path;
  const auto digits = std::string_view(stem).substr(part + kPart.size());
  return partNumber(digits) ? partPath(stem.substr(0, part), 0) : path;
}

std::uint32_t partNumberOf(const std::string& path) {
  if (part0Of(path) == path) return 0;
  const std::string stem = stemOf(path);
  return partNumber(
             std::string_view(stem).substr(stem.rfind(kPart) + kPart.size()))
      .value_or(0);
}

bool isAmong(const std::string& part_0, const std::vector<std::string>& paths) {
  if (part_0.empty()) return false;
  const std::string trace = canonical(part_0);
  return std::any_of(paths.begin(), paths.end(), [&](const auto& named) {
    std::string path = canonical(named);
    if (part0Of(path) == trace) return true;
    if (path.back() != '/') path += '/';
    return trace.starts_with(path);
  });
}

std::vector<TracePart> existingParts(const std::string& part_0) {
  std::vector<TracePart> parts;
  std::error_code error;
  const fs::path directory = fs::path(part_0).parent_path();
  fs::directory_iterator entry(directory, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string path = entry->path().string();
    std::error_code entry_error;
    if (part0Of(path) != part_0 ||
        !fs::is_regular_file(entry->symlink_status(entry_error))) {
      continue;
    }
    parts.push_back({path, partNumberOf(path), 0, 0});
  }
  std::sort(parts.begin(), parts.end(),
            [](const auto& a, const auto& b) { return a.number < b.number; });
  return parts;
}

namespace {

namespace fs = std::filesystem;

// Returns the stream id in the first chunk of a file. 0: not a trace.
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
  void search(const std::string& path) {
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

  std::map<std::uint64_t, std::string> take() && { return std::move(paths_); }

 private:
  void add(const std::string& path) {
    if (stemOf(path).empty()) return;
    if (const std::uint64_t stream = firstStreamIn(path)) {
      paths_.try_emplace(stream, part0Of(path));
    }
  }

  std::map<std::uint64_t, std::string> paths_;
};

}  // namespace

std::map<std::uint64_t, std::string> tracePaths(
    const std::vector<std::string>& paths) {
  Finder finder;
  for (const std::string& path : paths) finder.search(path);
  return std::move(finder).take();
}

bool isSameFile(const std::string& a, const std::string& b) {
  std::error_code error;
  return fs::equivalent(a, b, error) && !error;
}

}  // namespace traced
