#include "analysis/reading/chunk_index.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/stream/clock_models.h"
#include "trace_io/byte_source.h"

namespace traced {
namespace {

// Orders by position. Chunks without rows share positions, so the file order
// decides.
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
  if (chunks.size() < 2) return;
  std::sort(chunks.begin(), chunks.end(), before);
  // Copies of a chunk are adjacent, except for other chunks without rows
  // between them.
  absl::flat_hash_map<std::uint64_t, ChunkRef> seen;
  std::erase_if(chunks, [&seen](const ChunkRef& chunk) {
    const auto [place, is_new] = seen.try_emplace(chunk.checksum, chunk);
    return !is_new && isSameChunk(place->second, chunk);
  });
}

// Returns whether the file is the trigger with which an operator requests a
// flush.
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

void ChunkIndex::addFile(const std::string& path, ChunkDecoder& decoder,
                         IndexProgress& progress) {
  auto source = FileSource::open(path);
  if (!source) return warn(source.error().message);
  if ((*source)->size() == 0) {
    if (!isTrigger(path)) warn(absl::StrCat(path, ": empty"));
    return;
  }

  ChunkScanner scanner(**source);
  TraceFile file{path, (*source)->size(), 0, 0};
  std::uint64_t report = 0;
  while (const auto chunk = scanner.next()) {
    if (addChunk(*chunk, decoder)) {
      ++file.chunks;
    } else {
      scanner.refuse();
    }
    progress.add(scanner.position() - report);
    report = scanner.position();
  }
  progress.add(file.bytes - report);
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

bool ChunkIndex::addChunk(const ScannedChunk& scanned, ChunkDecoder& decoder) {
  if (decoder.parse(scanned.body) != DecodeStatus::kOk) return false;
  const v1::Chunk& chunk = decoder.chunk();
  if (chunk.end_position() < chunk.first_position()) return false;
  if (chunk.stream_id() == 0) return addMerge(decoder);
  Indexed& indexed = streamOf(chunk.stream_id());
  readHeader(indexed, chunk.stream_id(), decoder);
  indexed.stream.chunks.push_back(refTo(scanned, chunk));
  return true;
}

void ChunkIndex::readHeader(Indexed& indexed, std::uint64_t id,
                            ChunkDecoder& decoder) {
  if (!indexed.has_header &&
      decoder.decodeHeader(indexed.stream.header, indexed.stream.header_maps)) {
    indexed.stream.header.set_stream_id(id);
    indexed.has_header = true;
  }
}

ChunkRef ChunkIndex::refTo(const ScannedChunk& scanned,
                           const v1::Chunk& chunk) const {
  ChunkRef ref;
  ref.file = static_cast<std::uint32_t>(set_.files.size());
  ref.body_offset = scanned.body_offset;
  ref.body_bytes = static_cast<std::uint32_t>(scanned.body.size());
  ref.framing_bytes =
      static_cast<std::uint8_t>(scanned.body_offset - scanned.offset);
  ref.first_position = chunk.first_position();
  ref.end_position = chunk.end_position();
  ref.checksum = scanned.checksum;
  return ref;
}

bool ChunkIndex::addMerge(ChunkDecoder& decoder) {
  const DecodeStatus status = decoder.decodePacked();
  if (status == DecodeStatus::kUnknownCompression) return true;
  if (status == DecodeStatus::kRefused) return false;
  v1::Merge& merge = *decoder.payload().mutable_merge();
  set_.unusable_bytes += merge.unusable_bytes();
  MergedClocks& clocks = set_.clocks.emplace_back();
  for (v1::ClockModel& clock : *merge.mutable_clock()) {
    if (isSound(clock)) {
      clocks.models.push_back(std::move(clock));
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

ChunkIndex::Indexed& ChunkIndex::streamOf(std::uint64_t id) {
  const auto [place, is_new] = index_by_id_.try_emplace(id, streams_.size());
  if (is_new) streams_.emplace_back().stream.header.set_stream_id(id);
  return streams_[place->second];
}

void ChunkIndex::append(ChunkIndex later) {
  const auto files = static_cast<std::uint32_t>(set_.files.size());
  std::move(later.set_.files.begin(), later.set_.files.end(),
            std::back_inserter(set_.files));
  std::move(later.set_.clocks.begin(), later.set_.clocks.end(),
            std::back_inserter(set_.clocks));
  std::move(later.set_.input_warnings.begin(), later.set_.input_warnings.end(),
            std::back_inserter(set_.input_warnings));
  set_.unusable_bytes += later.set_.unusable_bytes;
  dumps_.append(std::move(later.dumps_));
  for (Indexed& more : later.streams_) {
    for (ChunkRef& chunk : more.stream.chunks) chunk.file += files;
    Indexed& indexed = streamOf(more.stream.header.stream_id());
    if (!indexed.has_header) {
      indexed.stream.header = std::move(more.stream.header);
      indexed.stream.header_maps = std::move(more.stream.header_maps);
      indexed.has_header = more.has_header;
    }
    std::vector<ChunkRef>& chunks = indexed.stream.chunks;
    if (chunks.empty()) {
      chunks = std::move(more.stream.chunks);
    } else {
      chunks.insert(chunks.end(), more.stream.chunks.begin(),
                    more.stream.chunks.end());
    }
  }
}

void ChunkIndex::addStreams() {
  std::vector<TraceStream*> sorted;
  for (Indexed& indexed : streams_) {
    if (indexed.has_header) {
      sortChunks(indexed.stream.chunks);
      sorted.push_back(&indexed.stream);
    } else {
      warn(absl::StrCat("a stream of ", indexed.stream.chunks.size(),
                        " chunks was left out: none of them can be decoded"));
    }
  }
  // Sort pointers, because moving a header is slow.
  std::sort(sorted.begin(), sorted.end(),
            [](const TraceStream* a, const TraceStream* b) {
              return comesFirst(*a, *b);
            });
  set_.streams.reserve(sorted.size());
  for (TraceStream* stream : sorted) set_.streams.push_back(std::move(*stream));
}

TraceSet ChunkIndex::finish(std::vector<std::string> warnings) && {
  addStreams();
  set_.input_warnings.insert(set_.input_warnings.begin(),
                             std::make_move_iterator(warnings.begin()),
                             std::make_move_iterator(warnings.end()));
  std::move(dumps_).addTo(set_);
  if (!std::is_sorted(set_.streams.begin(), set_.streams.end(), comesFirst)) {
    std::sort(set_.streams.begin(), set_.streams.end(), comesFirst);
  }
  return std::move(set_);
}

}  // namespace traced
