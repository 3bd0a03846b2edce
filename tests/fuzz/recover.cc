// Input: the segment of a dead process. Whatever it contains, the trace stays
// readable, and a second recovery finds nothing more.

#include <fstream>
#include <string>

#include "fuzz/readable.h"
#include "fuzz/segment_mutator.h"
#include "fuzz/target.h"
#include "ring_io/recovery/segment_content.h"
#include "ring_io/recovery/stream_recovery.h"
#include "support/temp_dir.h"
#include "support/write_file.h"
#include "trace_io/byte_source.h"

using traced::testing::require;

namespace {

void requireReadable(const std::string& trace) {
  const auto source = traced::FileSource::open(trace);
  require(bool(source), "the trace is there");
  traced::testing::requireReadable(**source);
}

}  // namespace

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                    std::size_t max_size, unsigned seed) {
  return traced::testing::mutateSegment(data, size, max_size, seed);
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const traced::testing::TempDir dir;
  const std::string trace = dir.path() + "/rank-0.traced";
  const std::string_view file(reinterpret_cast<const char*>(data), size);
  const auto content = traced::parseSegment(file);
  if (!content) return 0;
  std::ofstream(trace, std::ios::trunc).flush();

  traced::RecoveredSegment once;
  traced::StreamRecovery(*content, file).run(trace, {}, once);
  requireReadable(trace);
  if (once.outcome != traced::RecoverOutcome::kRecovered) return 0;
  traced::RecoveredSegment twice;
  traced::StreamRecovery(*content, file).run(trace, {}, twice);
  require(
      twice.outcome == traced::RecoverOutcome::kRecovered && twice.records == 0,
      "what is in the trace is not brought back again");
  return 0;
}
