// The segment of a living process, as two readings of it: whatever they say,
// the chunks that come of it can be read, and the trace is left as it is.

#include <string>

#include "fuzz/parts.h"
#include "fuzz/readable.h"
#include "fuzz/segment_mutator.h"
#include "fuzz/target.h"
#include "recorder/live_copy.h"
#include "recorder/recovery.h"
#include "recorder/segment_content.h"
#include "support/temp_dir.h"
#include "support/trace_file.h"
#include "support/write_file.h"
#include "trace_io/byte_source.h"

using traced::testing::require;

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                    std::size_t max_size, unsigned seed) {
  return traced::testing::mutateSegment(data, size, max_size, seed);
}

// The first reading, and the second if it is another.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const traced::testing::TempDir dir;
  static const std::string trace = [] {
    std::string path = dir.path() + "/rank-0.traced";
    traced::testing::writeFile(path, "");
    return path;
  }();
  const auto parts =
      traced::testing::splitParts({reinterpret_cast<const char*>(data), size});
  const std::string first(parts.front());
  const auto read = traced::parseSegment(first);
  if (!read) return 0;
  std::uint64_t head_after = 0;
  for (const char each : parts.back()) {
    head_after += static_cast<unsigned char>(each);
  }
  const std::string copy =
      traced::settled(*read, first, std::string(parts.back()), head_after);
  auto content = traced::parseSegment(copy);
  require(bool(content), "a copy is a segment where its first reading was");
  // It may name any file of this machine.
  content->trace_path = trace;
  for (const bool alive : {false, true}) {
    std::optional<traced::ClockReading> alive_at;
    if (alive) alive_at = traced::ClockReading{1000, 2000, 3000};
    const auto chunks = traced::Recovery(*content, copy).look(alive_at);
    if (!chunks) continue;
    traced::MemorySource source(*chunks);
    traced::testing::requireReadable(source);
  }
  require(traced::testing::readFile(trace).empty(), "the trace is left alone");
  return 0;
}
