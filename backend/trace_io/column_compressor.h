// ColumnCompressor compresses a serialized payload with zstd.
//
// Each long column becomes a block of its own. A block has one table of how
// often each byte occurs; the differences of instants, of which nearly all that
// is left consists, have other ones in every column. In the trace of a training
// that saves 6 % of the file. The result is one ordinary zstd frame.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

struct ZSTD_CCtx_s;

namespace traced {

// Not thread safe: its memory is reused.
class ColumnCompressor {
 public:
  // zstd level; 0 never compresses.
  explicit ColumnCompressor(int level);
  ~ColumnCompressor();
  ColumnCompressor(const ColumnCompressor&) = delete;
  ColumnCompressor& operator=(const ColumnCompressor&) = delete;

  // False when there is nothing to gain, or no memory.
  bool compress(const std::string& payload, std::string& packed);

 private:
  ZSTD_CCtx_s* const context_;
  std::vector<std::size_t> edges_;
};

}  // namespace traced
