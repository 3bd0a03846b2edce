#include "ring_io/recovery/written_stream.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "ring_io/chunks/accounts.h"
#include "trace_io/chunk_format.h"
#include "trace_io/rows.h"
#include "trace_io/varint.h"

namespace traced {
namespace {

constexpr std::size_t kMaxFraming = 11;

std::uint64_t saturatingLess(std::uint64_t a, std::uint64_t b) {
  return a > b ? a - b : 0;
}

// Returns the reason why no part of a trace was found.
Error whyNot(const std::string& part_0) {
  struct stat status;
  if (lstat(part_0.c_str(), &status) == 0) {
    return Error{part_0 + " is not a regular file"};
  }
  if (errno == ENOENT) return Error{part_0 + " does not exist"};
  return Error{part_0 + ": " + std::strerror(errno)};
}

}  // namespace

bool isTornChunk(std::string_view rest, std::uint64_t rest_bytes) {
  if (rest.empty()) return true;
  if (static_cast<std::uint8_t>(rest[0]) != kTagChunk) return false;
  rest = rest.substr(1, kMaxFraming - 1);
  const auto last = std::find_if(rest.begin(), rest.end(), [](char c) {
    return static_cast<std::uint8_t>(c) < 0x80;
  });
  if (last == rest.end()) return rest.size() < kMaxFraming - 1;
  const auto framing = static_cast<std::size_t>(last - rest.begin()) + 1;
  const auto announced = parseVarint(rest.substr(0, framing));
  return announced && *announced <= kChunkPrefixBytes + kMaxChunkBytes &&
         rest_bytes < 1 + framing + *announced;
}

Result<std::unique_ptr<WrittenStream>> WrittenStream::open(
    const std::string& part_0, std::uint64_t stream_id) {
  std::unique_ptr<WrittenStream> stream(new WrittenStream);
  stream->parts_ = existingParts(part_0);
  if (stream->parts_.empty()) return whyNot(part_0);
  for (std::size_t part = 0; part < stream->parts_.size(); ++part) {
    const Result<bool> scanned = stream->scan(part, stream_id);
    if (!scanned) return scanned.error();
  }
  stream->readEnd();
  stream->countParts();
  return stream;
}

Result<std::unique_ptr<WrittenStream>> WrittenStream::of(
    const WrittenChunks& written) {
  std::unique_ptr<WrittenStream> stream(new WrittenStream);
  for (const std::string& path : written.files) {
    auto source = FileSource::open(path);
    if (!source) return source.error();
    stream->sources_.push_back(std::move(*source));
  }
  for (const WrittenChunks::StoredChunk& chunk : written.chunks) {
    stream->chunks_.push_back({chunk.file, chunk.offset, chunk.bytes});
    stream->end_position_ = std::max(stream->end_position_, chunk.end_position);
  }
  stream->readEnd();
  stream->records_deleted_ = countersOf(stream->accounts_).deleted;
  return stream;
}

Result<bool> WrittenStream::scan(std::size_t part, std::uint64_t stream_id) {
  const std::string& path = parts_[part].path;
  auto source = FileSource::open(path);
  if (!source) return source.error();
  ChunkScanner scanner(**source);
  std::uint64_t whole = 0;
  while (const auto chunk = scanner.next()) {
    if (decoder_.parse(chunk->body) != DecodeStatus::kOk) continue;
    if (decoder_.chunk().stream_id() != stream_id) {
      return Error{path + " belongs to another process"};
    }
    chunks_.push_back({part, chunk->body_offset, chunk->body.size()});
    whole = chunk->body_offset + chunk->body.size();
    end_position_ = std::max(end_position_, decoder_.chunk().end_position());
  }
  const std::uint64_t size = (*source)->size();
  const bool torn =
      isTornChunk((*source)->read(whole, kMaxFraming), size - whole);
  if (chunks_.empty() && !torn) return Error{path + " is not a trace"};
  parts_[part].bytes = torn ? whole : size;
  sources_.push_back(std::move(*source));
  return true;
}

const v1::Payload* WrittenStream::decode(const StoredChunk& chunk) {
  const std::string_view body =
      sources_[chunk.part]->read(chunk.offset, chunk.bytes);
  const bool decoded = isValidChunk(body) &&
                       decoder_.parse(body) == DecodeStatus::kOk &&
                       decoder_.decode() == DecodeStatus::kOk;
  return decoded ? &decoder_.payload() : nullptr;
}

void WrittenStream::newestFirst(
    const std::function<bool(const v1::Payload&)>& visit) {
  for (auto chunk = chunks_.rbegin(); chunk != chunks_.rend(); ++chunk) {
    const v1::Payload* payload = decode(*chunk);
    if (payload && !visit(*payload)) return;
  }
}

void WrittenStream::readEnd() {
  newestFirst([this](const v1::Payload& payload) {
    if (!payload.has_accounts()) return true;
    header_ = payload.header();
    accounts_ = payload.accounts();
    anchor_ = payload.anchor();
    return false;
  });
}

// Determines the records of each part and those in deleted parts. The first
// remaining chunk states how many records were written before it, including
// parts deleted since the last accounts.
void WrittenStream::countParts() {
  const RecordCounters end = countersOf(accounts_);
  records_deleted_ = end.deleted;
  const bool rotated = parts_.size() > 1 || parts_[0].number > 0;
  if (!rotated) {
    parts_[0].records = end.written;
    return;
  }
  std::vector<std::uint64_t> begun;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    begun.push_back(writtenBefore(part));
  }
  begun.push_back(end.written);
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    parts_[part].records = saturatingLess(begun[part + 1], begun[part]);
  }
  records_deleted_ = std::max(records_deleted_, begun[0]);
}

std::uint64_t WrittenStream::writtenBefore(std::size_t part) {
  for (const StoredChunk& chunk : chunks_) {
    if (chunk.part < part) continue;
    const v1::Payload* payload = decode(chunk);
    if (!payload || !columnsAgree(*payload)) continue;
    return saturatingLess(countersOf(payload->accounts()).written,
                          rowCount(*payload));
  }
  return countersOf(accounts_).written;  // nothing was written since
}

}  // namespace traced
