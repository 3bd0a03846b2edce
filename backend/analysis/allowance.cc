#include "analysis/allowance.h"

#include "trace_io/rows.h"

namespace traced {

bool Allowance::take(std::uint64_t stored_bytes, std::uint64_t payload_bytes,
                     const v1::Payload& payload) {
  const std::uint64_t stored = stored_bytes_ + stored_bytes;
  const std::uint64_t unpacked = payload_bytes_ + payload_bytes;
  const std::uint64_t rows = rows_ + rowCount(payload);
  if (rows > kFreeRows + kRowsPerByte * stored ||
      unpacked > kFreePayloadBytes + kPayloadPerByte * stored) {
    return false;
  }
  stored_bytes_ = stored;
  payload_bytes_ = unpacked;
  rows_ = rows;
  return true;
}

}  // namespace traced
