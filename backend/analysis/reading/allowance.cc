#include "analysis/reading/allowance.h"

namespace traced {

bool Allowance::take(std::uint64_t stored_bytes, std::uint64_t payload_bytes,
                     std::uint64_t rows) {
  const std::uint64_t stored = stored_bytes_ + stored_bytes;
  const std::uint64_t unpacked = payload_bytes_ + payload_bytes;
  const std::uint64_t all_rows = rows_ + rows;
  if (all_rows > kFreeRows + kRowsPerByte * stored ||
      unpacked > kFreePayloadBytes + kPayloadPerByte * stored) {
    return false;
  }
  stored_bytes_ = stored;
  payload_bytes_ = unpacked;
  rows_ = all_rows;
  return true;
}

}  // namespace traced
