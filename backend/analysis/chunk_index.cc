#include "analysis/chunk_index.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/clock_models.h"
#include "trace_io/byte_source.h"

namespace traced {
namespace {

// By position. Chunks without rows share a position, so their order in the
// files decides.
bool before(const ChunkRef& a, const ChunkRef& b) {
  return std::tie(a.first_position, a.end_position, a.file, a.body_offset) <
         std::tie(b.first_position, b.end_position, b.file, b.body_offset);
}

bool isSameChunk(const ChunkRef& a, const ChunkRef& b) {
  return a.first_position == b.first_position &&
         a.end_position == b.end_position && a.checksum == b.checksum &&
         a.body_bytes == b.body_bytes;
}

void sortChunks(std::vector<ChunkRef>& chunks) {
  std::sort(chunks.begin(), chunks.end(), before);
  // Copies of one chunk are neighbours, unless other chunks without rows lie
  // between them.
  absl::flat_hash_map<std::uint64_t, ChunkRef> seen;
  std::erase_if(chunks, [&seen](const ChunkRef& chunk) {
    const auto [place, is_new] = seen.try_emplace(chunk.checksum, chunk);
    return !is_new && isSameChunk(place->second, chunk);
  });
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

// What an operator touched to have the traces beside it written.
bool isTrigger(const std::string& path) {
  return std::filesystem::path(path).filename() == "flush";
}

std::string unusableSentence(const TraceFile& file,
                             const UnusableBytes& unusable) {
  const ByteRange& first = unusable.firstRanges().front();
  return absl::StrCat(
      file.path, ": ", unusable.total(), " of ", file.bytes,
      " bytes could not be used, the first at ", first.begin,
      unusable.rangeCount() > 1
          ? absl::StrCat(", in ", unusable.rangeCount(), " places")
          : "");
}

}  // namespace

ChunkIndex::ChunkIndex(std::vector<std::string> warnings, ReadProgress progress)
    : progress_(std::move(progress)) {
  set_.input_warnings = std::move(warnings);
}

void ChunkIndex::addFiles(absl::Span<const std::string> paths) {
  for (const std::string& path : paths) {
    if (!progress_) break;
    std::error_code error;
    const std::uintmax_t bytes = std::filesystem::file_size(path, error);
    if (!error) bytes_total_ += bytes;
  }
  for (const std::string& path : paths) addFile(path);
}

void ChunkIndex::addFile(const std::string& path) {
  auto source = FileSource::open(path);
  if (!source) return warn(source.error().message);
  if ((*source)->size() == 0) {
    if (!isTrigger(path)) warn(absl::StrCat(path, ": empty"));
    return;
  }

  ChunkScanner scanner(**source);
  TraceFile file{path, (*source)->size(), 0, 0};
  while (const auto chunk = scanner.next()) {
    if (addChunk(*chunk)) {
      ++file.chunks;
    } else {
      scanner.refuse();
    }
    if (progress_) progress_(bytes_done_ + scanner.position(), bytes_total_);
  }
  bytes_done_ += file.bytes;
  describeFile(scanner, std::move(file));
}

void ChunkIndex::describeFile(const ChunkScanner& scanner, TraceFile file) {
  if (!scanner.sawSync()) {
    const bool is_other =
        dumps_.add(file.path, file.bytes) == DumpFiles::Kind::kOther;
    if (is_other && !isTrigger(file.path)) {
      warn(absl::StrCat(file.path, ": not a trace"));
    }
    return;
  }
  file.unusable_bytes = scanner.unusable().total();
  set_.unusable_bytes += file.unusable_bytes;
  if (file.unusable_bytes > 0) {
    warn(unusableSentence(file, scanner.unusable()));
  }
  set_.files.push_back(std::move(file));
}

bool ChunkIndex::addChunk(const ScannedChunk& scanned) {
  if (decoder_.parse(scanned.body) != DecodeStatus::kOk) return false;
  const v1::Chunk& chunk = decoder_.chunk();
  if (chunk.end_position() < chunk.first_position()) return false;
  if (chunk.stream_id() == 0) return addMerge();

  Indexed& indexed = streams_[chunk.stream_id()];
  if (!indexed.has_header && decoder_.decodeHeader(indexed.stream.header)) {
    indexed.stream.header.set_stream_id(chunk.stream_id());
    indexed.has_header = true;
  }
  ChunkRef ref;
  ref.file = static_cast<std::uint32_t>(set_.files.size());
  ref.body_offset = scanned.body_offset;
  ref.body_bytes = static_cast<std::uint32_t>(scanned.body.size());
  ref.framing_bytes =
      static_cast<std::uint8_t>(scanned.body_offset - scanned.offset);
  ref.first_position = chunk.first_position();
  ref.end_position = chunk.end_position();
  ref.checksum = scanned.checksum;
  indexed.stream.chunks.push_back(ref);
  return true;
}

bool ChunkIndex::addMerge() {
  const DecodeStatus status = decoder_.decodePacked();
  if (status == DecodeStatus::kUnknownCompression) return true;
  if (status == DecodeStatus::kRefused) return false;
  v1::Merge& merge = *decoder_.payload().mutable_merge();
  set_.unusable_bytes += merge.unusable_bytes();
  for (v1::ClockModel& clock : *merge.mutable_clock()) {
    if (isSound(clock)) {
      set_.clocks.push_back(std::move(clock));
    } else {
      warn(absl::StrCat("the clock of stream ", absl::Hex(clock.stream_id()),
                        " in a merged file is not usable: its knots are not "
                        "in order"));
    }
  }
  for (std::string& warning : *merge.mutable_warning()) {
    warn(std::move(warning));
  }
  return true;
}

void ChunkIndex::warn(std::string sentence) {
  set_.input_warnings.push_back(std::move(sentence));
}

TraceSet ChunkIndex::finish() && {
  for (auto& [id, indexed] : streams_) {
    if (indexed.has_header) {
      sortChunks(indexed.stream.chunks);
      set_.streams.push_back(std::move(indexed.stream));
    } else {
      warn(absl::StrCat("a stream of ", indexed.stream.chunks.size(),
                        " chunks was left out: none of them can be decoded"));
    }
  }
  std::move(dumps_).addTo(set_);
  std::sort(set_.streams.begin(), set_.streams.end(), comesFirst);
  return std::move(set_);
}

}  // namespace traced
