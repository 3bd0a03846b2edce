#include "trace_io/chunk_decoder.h"

#include <google/protobuf/io/coded_stream.h>
#include <zstd.h>

#include <optional>

#include "trace_io/chunk_format.h"
#include "trace_io/field_reader.h"
#include "trace_io/payload_guard.h"

namespace traced {

namespace {

bool isMap(int field) {
  return field == v1::Header::kLibraryVersionsFieldNumber ||
         field == v1::Header::kLabelsFieldNumber ||
         field == v1::Header::kSettingsFieldNumber;
}

bool parseHeader(std::string_view bytes, v1::Header& header,
                 std::string& maps) {
  std::string rest;
  FieldReader fields(bytes);
  FieldReader::Field field;
  while (!fields.atEnd()) {
    if (!fields.next(field)) return false;
    (isMap(field.number) ? maps : rest).append(field.whole);
  }
  return header.ParseFromString(rest);
}

}  // namespace

struct ChunkDecoder::Decompressor {
  Decompressor() : context(ZSTD_createDCtx()) {
    // Limits the memory for reading a head. A recorder's window is far smaller.
    constexpr int kMaxWindowLog = 23;
    ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, kMaxWindowLog);
  }
  ~Decompressor() { ZSTD_freeDCtx(context); }

  // Returns nullopt unless `packed` decompresses to exactly `size` bytes. The
  // caller bounds `size`.
  std::optional<std::string_view> decompress(std::string_view packed,
                                             std::size_t size) {
    const auto announced =
        ZSTD_getFrameContentSize(packed.data(), packed.size());
    if (announced == ZSTD_CONTENTSIZE_ERROR) return std::nullopt;
    if (announced != ZSTD_CONTENTSIZE_UNKNOWN && announced > size) {
      return std::nullopt;
    }
    if (raw.size() < size) raw.resize(size);
    const std::size_t got = ZSTD_decompressDCtx(context, raw.data(), size,
                                                packed.data(), packed.size());
    if (ZSTD_isError(got) || got != size) return std::nullopt;
    return std::string_view(raw).substr(0, size);
  }

  // Returns the first bytes of the payload, or "" if they cannot be
  // decompressed.
  std::string_view decompressHead(std::string_view packed) {
    constexpr std::size_t kHeadBytes = std::size_t{16} << 10;
    if (raw.size() < kHeadBytes) raw.resize(kHeadBytes);
    ZSTD_DCtx_reset(context, ZSTD_reset_session_only);
    ZSTD_inBuffer in{packed.data(), packed.size(), 0};
    ZSTD_outBuffer out{raw.data(), kHeadBytes, 0};
    const std::size_t left = ZSTD_decompressStream(context, &out, &in);
    return std::string_view(raw).substr(0, ZSTD_isError(left) ? 0 : out.pos);
  }

  ZSTD_DCtx* context;
  std::string raw;
};

ChunkDecoder::ChunkDecoder()
    : decompressor_(std::make_unique<Decompressor>()) {}

ChunkDecoder::~ChunkDecoder() = default;

DecodeStatus ChunkDecoder::parse(std::string_view body) {
  const bool parsed =
      chunk_.ParseFromArray(body.data(), static_cast<int>(body.size()));
  return parsed && chunk_.payload_bytes() <= kMaxPayloadBytes &&
                 isPlausibleSize(chunk_.payload_bytes(),
                                 chunk_.payload().size())
             ? DecodeStatus::kOk
             : DecodeStatus::kRefused;
}

DecodeStatus ChunkDecoder::decode() {
  is_packed_ = false;
  std::string_view raw;
  const DecodeStatus status = unpack(raw);
  return status == DecodeStatus::kOk ? parsePayload(raw) : status;
}

DecodeStatus ChunkDecoder::decodePacked() {
  std::string_view raw;
  const DecodeStatus status = unpack(raw);
  if (status != DecodeStatus::kOk) return status;
  is_packed_ = rows_.split(raw, rest_);
  return parsePayload(is_packed_ ? std::string_view(rest_) : raw);
}

bool ChunkDecoder::decodeHeader(v1::Header& header, std::string& maps) {
  if (decodeHead(header, maps)) return true;
  header.Clear();
  maps.clear();
  if (decode() != DecodeStatus::kOk) return false;
  header.Swap(payload_.mutable_header());
  return true;
}

bool ChunkDecoder::decodeHead(v1::Header& header, std::string& maps) {
  constexpr std::uint32_t kTag = v1::Payload::kHeaderFieldNumber << 3 | 2;
  std::string_view head = chunk_.payload();
  if (chunk_.compression() == v1::COMPRESSION_ZSTD) {
    head = decompressor_->decompressHead(head);
  }
  google::protobuf::io::CodedInputStream in(
      reinterpret_cast<const std::uint8_t*>(head.data()),
      static_cast<int>(head.size()));
  std::uint32_t length = 0;
  if (in.ReadTag() != kTag || !in.ReadVarint32(&length)) return false;
  head.remove_prefix(static_cast<std::size_t>(in.CurrentPosition()));
  return length <= head.size() &&
         parseHeader(head.substr(0, length), header, maps);
}

DecodeStatus ChunkDecoder::parsePayload(std::string_view bytes) {
  return payload_.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))
             ? DecodeStatus::kOk
             : DecodeStatus::kRefused;
}

// Decompresses the payload, and checks whether it is safe to parse.
DecodeStatus ChunkDecoder::unpack(std::string_view& raw) {
  std::optional<std::string_view> unpacked;
  if (chunk_.compression() == v1::COMPRESSION_ZSTD) {
    unpacked =
        decompressor_->decompress(chunk_.payload(), chunk_.payload_bytes());
  } else if (chunk_.compression() != v1::COMPRESSION_NONE) {
    return DecodeStatus::kUnknownCompression;
  } else if (chunk_.payload().size() == chunk_.payload_bytes()) {
    unpacked = chunk_.payload();
  }
  if (!unpacked || !isPlausiblePayload(*unpacked, chunk_.payload().size())) {
    return DecodeStatus::kRefused;
  }
  raw = *unpacked;
  return DecodeStatus::kOk;
}

}  // namespace traced
