#include "cli/inputs/open_to_copy.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/common/complain.h"
#include "cli/inputs/left_over.h"
#include "phrasing/text.h"

namespace traced {
namespace {

// Returns true if all streams are Flight Recorder dumps.
bool holdsOnlyDumps(const TraceSet& set) {
  return std::all_of(
      set.streams.begin(), set.streams.end(),
      [](const TraceStream& stream) { return stream.dump_file.has_value(); });
}

// Removes chunks that live processes have not written yet and returns the
// number of these processes. They will write the records in other chunks, so a
// copy would contradict its sources.
std::uint64_t leaveOutRunning(TraceSet& set) {
  std::uint64_t running = 0, left_out = 0;
  for (TraceStream& stream : set.streams) {
    if (stream.ring != RingState::kAlive) continue;
    ++running;
    left_out += std::erase_if(stream.chunks, [&set](const ChunkRef& chunk) {
                  return set.files[chunk.file].from_rings;
                }) > 0;
    stream.ring = RingState::kNone;
  }
  if (left_out > 0) {
    set.input_warnings.push_back(absl::StrCat(
        "left out what ", countOf(left_out, "process"), " that still ",
        left_out == 1 ? "runs" : "run", " recorded lately"));
  }
  return running;
}

}  // namespace

std::optional<CopySource> openToCopy(Inputs& inputs, const std::string& verb) {
  const std::vector<std::string> kept = recoverInputs(inputs.paths());
  Result<TraceSet> set = inputs.open();
  if (!set) return std::nullopt;
  if (holdsOnlyDumps(*set)) {
    complain(absl::StrCat(
        "the inputs are Flight Recorder dumps, which have no chunks to ", verb,
        "; all other verbs read them as they are"));
    return std::nullopt;
  }
  set->input_warnings.insert(set->input_warnings.end(), kept.begin(),
                             kept.end());
  const std::uint64_t running = leaveOutRunning(*set);
  return CopySource{*std::move(set), running};
}

std::vector<std::string> warningsOfCopy(const TraceSet& set,
                                        const std::string& verb) {
  std::vector<std::string> warnings = set.input_warnings;
  const auto dumps = std::count_if(
      set.streams.begin(), set.streams.end(),
      [](const TraceStream& stream) { return stream.dump_file.has_value(); });
  if (dumps > 0) {
    warnings.push_back(absl::StrCat("left out ", dumps, " Flight Recorder ",
                                    dumps == 1 ? "dump" : "dumps",
                                    ", which have no chunks to ", verb));
  }
  return warnings;
}

}  // namespace traced
