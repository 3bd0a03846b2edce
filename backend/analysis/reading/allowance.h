// Allowance bounds what all chunks together become in memory. A single one is
// bounded by its decoder, but a file of many tiny chunks, each of which unpacks
// to as much as one may, would still fill any memory.

#pragma once

#include <cstdint>

#include "trace_io/payload_guard.h"

namespace traced {

class Allowance {
 public:
  // A row of a recorder takes about three bytes of the file, and its payload
  // twice what is stored of it. These are far beyond.
  static constexpr std::uint64_t kFreeRows = std::uint64_t{1} << 16;
  static constexpr std::uint64_t kRowsPerByte = kRowsPerStoredByte;
  static constexpr std::uint64_t kFreePayloadBytes = std::uint64_t{4} << 20;
  static constexpr std::uint64_t kPayloadPerByte = kPayloadPerStoredByte;

  // Whether a chunk of `stored_bytes` with so many rows may be added to all
  // those before. False leaves the account as it was.
  bool take(std::uint64_t stored_bytes, std::uint64_t payload_bytes,
            std::uint64_t rows);

 private:
  std::uint64_t stored_bytes_ = 0;
  std::uint64_t payload_bytes_ = 0;
  std::uint64_t rows_ = 0;
};

}  // namespace traced
