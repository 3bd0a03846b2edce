// Input: two readings of a live process's segment. Whatever they contain, the
// resulting chunks must be readable.

#include <string>

#include "fuzz/parts.h"
#include "fuzz/readable.h"
#include "fuzz/segment_mutator.h"
#include "fuzz/target.h"
#include "ring_io/recovery/segment_content.h"
#include "ring_io/recovery/segment_copy.h"
#include "ring_io/recovery/stream_recovery.h"
#include "ring_io/recovery/written_stream.h"
#include "trace_io/byte_source.h"

using traced::testing::require;

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                    std::size_t max_size, unsigned seed) {
  return traced::testing::mutateSegment(data, size, max_size, seed);
}

// The input holds the first reading, and the second one if it differs.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto parts =
      traced::testing::splitParts({reinterpret_cast<const char*>(data), size});
  const std::string first(parts.front());
  const auto read = traced::parseSegment(first);
  if (!read) return 0;
  std::uint64_t head_after = 0;
  for (const char each : parts.back()) {
    head_after += static_cast<unsigned char>(each);
  }
  std::string copy(parts.back());
  copy.resize(first.size());
  traced::settle(*read, first, copy, head_after);
  const auto content = traced::parseSegment(copy);
  require(bool(content), "a copy is a segment where its first reading was");
  for (const bool alive : {false, true}) {
    std::optional<traced::ClockReading> alive_at;
    if (alive) alive_at = traced::ClockReading{1000, 2000, 3000};
    auto nothing = traced::WrittenStream::of({});
    require(bool(nothing), "a stream without files is one");
    const auto chunks =
        traced::StreamRecovery(*content, copy)
            .missingChunks(std::move(*nothing), alive, alive_at);
    if (!chunks) continue;
    traced::MemorySource source(*chunks);
    traced::testing::requireReadable(source);
  }
  return 0;
}
