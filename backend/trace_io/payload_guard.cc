#include "trace_io/payload_guard.h"

#include <google/protobuf/io/coded_stream.h>

#include <algorithm>
#include <climits>

#include "trace_io/chunk_format.h"
#include "trace_io/row_tables.h"
#include "traced/v1/trace.pb.h"

namespace traced {
namespace {

using google::protobuf::io::CodedInputStream;

enum WireType { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

bool isTable(std::uint32_t field) {
  bool is_table = false;
  forEachType(AllRows(), [&]<typename Row>() {
    is_table = is_table || field == RowTable<Row>::kNumber;
  });
  return is_table;
}

// Counts pieces down to the depth of the schema: Payload, Group, RankRange.
// Content that is not a message is walked too, which at worst counts too much.
class PieceCounter {
 public:
  static constexpr int kDepth = 3;

  explicit PieceCounter(std::size_t most_pieces) : most_pieces_(most_pieces) {}

  void walk(const char* data, int size, int depth) {
    CodedInputStream in(reinterpret_cast<const std::uint8_t*>(data), size);
    while (modest()) {
      const std::uint32_t tag = in.ReadTag();
      if (tag == 0 || !step(in, data, tag, depth)) return;
    }
  }

  bool modest() const {
    return pieces_ <= most_pieces_ && column_bytes_ <= kMaxColumnBytes;
  }

 private:
  bool step(CodedInputStream& in, const char* data, std::uint32_t tag,
            int depth) {
    std::uint64_t ignored = 0;
    switch (tag & 7) {
      case kVarint:
        return in.ReadVarint64(&ignored);
      case kFixed64:
        return in.Skip(8);
      case kFixed32:
        return in.Skip(4);
      case kBytes:
        return stepInto(in, data, tag >> 3, depth);
      default:
        return false;
    }
  }

  bool stepInto(CodedInputStream& in, const char* data, std::uint32_t field,
                int depth) {
    std::uint32_t length = 0;
    if (!in.ReadVarint32(&length)) return false;
    const int start = in.CurrentPosition();
    // Content that is not a message, such as text, may claim any length.
    if (length > INT_MAX || !in.Skip(static_cast<int>(length))) return false;
    if (depth == 1 && isTable(field)) {
      column_bytes_ += length;
      return true;
    }
    ++pieces_;
    if (depth < kDepth) walk(data + start, static_cast<int>(length), depth + 1);
    return true;
  }

  const std::size_t most_pieces_;
  std::size_t pieces_ = 0;
  std::size_t column_bytes_ = 0;
};

}  // namespace

bool isPlausibleSize(std::uint64_t payload_bytes, std::uint64_t stored_bytes) {
  return payload_bytes <=
         kFreePayloadBytes + kPayloadPerStoredByte * stored_bytes;
}

bool isPlausiblePayload(std::string_view payload, std::uint64_t stored_bytes) {
  constexpr std::size_t kMinPieceBytes = 2;
  const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(
      kMaxPayloadPieces, kFreePieces + kPiecesPerStoredByte * stored_bytes));
  // A payload this small cannot exceed the limits.
  if (payload.size() <= std::min(kMinPieceBytes * most, kMaxColumnBytes)) {
    return true;
  }
  PieceCounter counter(most);
  counter.walk(payload.data(), static_cast<int>(payload.size()), 1);
  return counter.modest();
}

bool isReadableAnywhere(std::string_view payload, std::uint64_t rows,
                        std::uint64_t stored_bytes) {
  return payload.size() <= kMaxPayloadBytes &&
         payload.size() <= kPayloadPerStoredByte * stored_bytes &&
         rows <= kRowsPerStoredByte * stored_bytes &&
         isPlausiblePayload(payload, stored_bytes);
}

}  // namespace traced
