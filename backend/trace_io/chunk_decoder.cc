#include "trace_io/chunk_decoder.h"

#include <zstd.h>

#include <optional>

#include "trace_io/chunk_format.h"
#include "trace_io/payload_guard.h"

namespace traced {

struct ChunkDecoder::Decompressor {
  Decompressor() : context(ZSTD_createDCtx()) {}
  ~Decompressor() { ZSTD_freeDCtx(context); }

  // Absent unless `packed` holds exactly `size` bytes. `size` is bounded by the
  // caller.
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
                 isModestSize(chunk_.payload_bytes(), chunk_.payload().size())
             ? DecodeStatus::kOk
             : DecodeStatus::kRefused;
}

DecodeStatus ChunkDecoder::decode() {
  std::optional<std::string_view> raw;
  if (chunk_.compression() == v1::COMPRESSION_ZSTD) {
    raw = decompressor_->decompress(chunk_.payload(), chunk_.payload_bytes());
  } else if (chunk_.compression() != v1::COMPRESSION_NONE) {
    return DecodeStatus::kUnknownCompression;
  } else if (chunk_.payload().size() == chunk_.payload_bytes()) {
    raw = chunk_.payload();
  }
  if (!raw || !isModestPayload(*raw, chunk_.payload().size()))
    return DecodeStatus::kRefused;
  const bool parsed =
      payload_.ParseFromArray(raw->data(), static_cast<int>(raw->size()));
  return parsed ? DecodeStatus::kOk : DecodeStatus::kRefused;
}

}  // namespace traced
