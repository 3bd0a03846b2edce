// DigestFile writes what `tracectl digest` does: looks, and of each stream its
// digest and its latest chunks.

#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/reading/stream_loader.h"
#include "analysis/reading/trace_set.h"
#include "trace_io/chunk_encoder.h"

namespace traced {

// Not thread safe. The set must outlive it.
class DigestFile {
 public:
  DigestFile(const TraceSet& set, std::ostream& out)
      : set_(set), loader_(set), out_(out) {}

  // The chunk of a digest that was made of a stream, beside `streams - 1`
  // others; "" where no reader would take it.
  std::string encode(const TraceStream& stream, const v1::Payload& payload,
                     std::uint64_t look, std::size_t streams);

  void put(const std::vector<DigestLookRef>& looks);
  void put(std::string_view bytes);
  // As they are in their files, in an order that is not that of the files.
  void put(std::vector<ChunkRef> chunks);

  std::uint64_t bytes() const { return bytes_; }
  // "": nothing went wrong.
  const std::string& problem() const { return problem_; }

 private:
  const TraceSet& set_;
  StreamLoader loader_;
  ChunkEncoder encoder_{kLevel};
  std::ostream& out_;
  std::uint64_t bytes_ = 0;
  std::string problem_;

  // A digest is made once and kept for long.
  static constexpr int kLevel = 12;
};

}  // namespace traced
