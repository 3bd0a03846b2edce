#include "analysis/pack/packed_chunks.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"

namespace traced {
namespace {

namespace fs = std::filesystem;

constexpr char kExtension[] = ".traced";

// The number of a pack of that name; absent where the file is something else.
std::optional<std::uint64_t> numberOf(absl::string_view file,
                                      const std::string& name) {
  std::uint64_t number = 0;
  const bool is_one = absl::ConsumePrefix(&file, absl::StrCat(name, "-")) &&
                      absl::ConsumeSuffix(&file, kExtension) &&
                      absl::SimpleAtoi(file, &number) && number > 0;
  if (!is_one) return std::nullopt;
  return number;
}

}  // namespace

std::string PackNames::path(std::uint64_t number) const {
  return (fs::path(folder) /
          absl::StrFormat("%s-%04d%s", name, number, kExtension))
      .string();
}

PackedChunks::PackedChunks(const PackNames& names) {
  std::vector<std::string> packs;
  std::error_code error;
  for (fs::directory_iterator entry(names.folder, error), end;
       !error && entry != end; entry.increment(error)) {
    const std::string file = entry->path().filename().string();
    const std::optional<std::uint64_t> number = numberOf(file, names.name);
    if (!number) continue;
    packs.push_back(entry->path().string());
    next_number_ = std::max(next_number_, *number + 1);
  }
  if (packs.empty()) return;
  const TraceSet set = indexTraces(packs);
  for (const TraceStream& stream : set.streams) {
    for (const ChunkRef& chunk : stream.chunks) {
      chunks_.insert(keyOf(stream.header.stream_id(), chunk));
    }
  }
  warnings_.insert(set.input_warnings.begin(), set.input_warnings.end());
  unusable_bytes_ = set.unusable_bytes;
}

}  // namespace traced
