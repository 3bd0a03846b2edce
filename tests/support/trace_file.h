// Reads a trace file without the project's own reader: as a protobuf message
// whose payloads are compressed with zstd.

#pragma once

#include <zstd.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "traced/v1/trace.pb.h"

namespace traced::testing {

inline std::string readFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

inline v1::Payload decodePayload(const v1::Chunk& chunk) {
  std::string raw = chunk.payload();
  if (chunk.compression() == v1::COMPRESSION_ZSTD) {
    raw.resize(chunk.payload_bytes());
    ZSTD_decompress(raw.data(), raw.size(), chunk.payload().data(),
                    chunk.payload().size());
  }
  v1::Payload payload;
  payload.ParseFromString(raw);
  return payload;
}

// Returns the payloads in file order. Empty if the bytes are no trace.
inline std::vector<v1::Payload> decodeTrace(const std::string& bytes) {
  v1::Trace trace;
  std::vector<v1::Payload> payloads;
  if (!trace.ParseFromString(bytes)) return payloads;
  for (const v1::Chunk& chunk : trace.chunk()) {
    payloads.push_back(decodePayload(chunk));
  }
  return payloads;
}

inline std::uint64_t rowCount(const v1::Payload& payload) {
  return static_cast<std::uint64_t>(
      payload.issued().op_delta_size() + payload.returned().op_delta_size() +
      payload.done().op_delta_size() + payload.waited().op_delta_size() +
      payload.released().op_delta_size() + payload.method().op_delta_size() +
      payload.marked().position_delta_size() +
      payload.resources().position_delta_size() +
      payload.functions().position_delta_size() +
      payload.thread_samples().position_delta_size());
}

}  // namespace traced::testing
