#include "trace_io/column_compressor.h"

#include <google/protobuf/io/coded_stream.h>
#include <zstd.h>

#include <cstdint>

namespace traced {
namespace {

using google::protobuf::io::CodedInputStream;

// A block costs some sixty bytes, most of them for its table.
constexpr int kLongColumn = 1000;

// Steps over a field that is no string of bytes; false at the end.
bool skipNumber(CodedInputStream& in, std::uint32_t tag) {
  constexpr int kFixed64 = 1, kFixed32 = 5;
  std::uint64_t varint = 0;
  switch (tag & 7) {
    case kFixed64:
      return in.Skip(8);
    case kFixed32:
      return in.Skip(4);
    default:
      return in.ReadVarint64(&varint);
  }
}

void addEdge(std::vector<std::size_t>& edges, int edge) {
  const auto at = static_cast<std::size_t>(edge);
  if (edges.empty() || edges.back() != at) edges.push_back(at);
}

// Where the long columns of a serialized payload begin and end. Its fields are
// messages, the tables among them, whose fields are the columns.
void findEdges(CodedInputStream& in, int end, bool in_table,
               std::vector<std::size_t>& edges) {
  constexpr int kBytes = 2;
  int bytes = 0;
  while (in.CurrentPosition() < end) {
    const int begin = in.CurrentPosition();
    const std::uint32_t tag = in.ReadTag();
    if (tag == 0) return;
    if ((tag & 7) != kBytes) {
      if (!skipNumber(in, tag)) return;
      continue;
    }
    if (!in.ReadVarintSizeAsInt(&bytes)) return;
    const int field_end = in.CurrentPosition() + bytes;
    if (bytes < kLongColumn || in_table) {
      if (!in.Skip(bytes)) return;
    } else {
      findEdges(in, field_end, true, edges);
    }
    if (bytes >= kLongColumn && in_table) {
      addEdge(edges, begin);
      addEdge(edges, field_end);
    }
  }
}

}  // namespace

ColumnCompressor::ColumnCompressor(int level)
    : context_(level ? ZSTD_createCCtx() : nullptr) {
  if (context_) {
    ZSTD_CCtx_setParameter(context_, ZSTD_c_compressionLevel, level);
  }
}

ColumnCompressor::~ColumnCompressor() { ZSTD_freeCCtx(context_); }

bool ColumnCompressor::compress(const std::string& payload,
                                std::string& packed) {
  if (!context_) return false;
  edges_.clear();
  const int size = static_cast<int>(payload.size());
  CodedInputStream fields(reinterpret_cast<const std::uint8_t*>(payload.data()),
                          size);
  findEdges(fields, size, false, edges_);
  addEdge(edges_, size);

  constexpr std::size_t kBlockHead = 3;
  packed.resize(ZSTD_compressBound(payload.size()) +
                kBlockHead * edges_.size());
  ZSTD_CCtx_reset(context_, ZSTD_reset_session_only);
  ZSTD_CCtx_setPledgedSrcSize(context_, payload.size());
  ZSTD_inBuffer in{payload.data(), 0, 0};
  ZSTD_outBuffer out{packed.data(), packed.size(), 0};
  for (const std::size_t edge : edges_) {
    in.size = edge;
    const bool last = edge == payload.size();
    const std::size_t left = ZSTD_compressStream2(
        context_, &out, &in, last ? ZSTD_e_end : ZSTD_e_flush);
    if (left != 0) return false;  // an error, or no room
  }
  if (out.pos >= payload.size()) return false;
  packed.resize(out.pos);
  return true;
}

}  // namespace traced
