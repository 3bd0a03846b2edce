// LiveSet reads traces with what the rings on this host hold beyond them,
// whether their processes live or are dead.

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/reading/stream_selection.h"
#include "analysis/reading/trace_set.h"
#include "base/result.h"
#include "cli/common/memory_file.h"
#include "ring_io/recovery/live_rings.h"

namespace traced {

class LiveSet {
 public:
  explicit LiveSet(std::vector<std::string> inputs, RunChoice choice = {})
      : inputs_(std::move(inputs)), choice_(choice) {}

  // Looks once more. The set is valid until the next look.
  Result<TraceSet> refresh(const ReadProgress& progress = {});
  // The rings that were read then, without what was in them.
  const std::vector<RingReading>& rings() const { return rings_; }
  // What was wrong with them, also among the warnings of the set.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  // The rings of these traces, in all places that are known by now.
  std::vector<RingFile> findOurs() const;
  bool isTrusted(const RingFile& ring) const;
  void readRings();
  bool learn(const TraceSet& set);
  void add(TraceSet& set);
  void warn(const RingFile& ring, const std::string& why);

  const std::vector<std::string> inputs_;
  const RunChoice choice_;
  // Streams that the inputs are known to have and who owns their files,
  // wherever their rings say that their traces are; and where their rings may
  // be, beside the usual places.
  std::map<std::uint64_t, std::optional<uid_t>> streams_;
  std::set<std::string> directories_;
  // Of the look that goes on.
  std::set<std::string> tried_;
  std::vector<RingReading> rings_;
  std::vector<std::string> warnings_;
  std::optional<MemoryFile> of_rings_;
};

}  // namespace traced
