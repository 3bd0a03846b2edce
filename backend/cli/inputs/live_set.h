// LiveSet reads traces together with newer records in rings on this host, of
// living and dead processes.

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

  // Reads the inputs and rings anew. The set is valid until the next call.
  Result<TraceSet> refresh(const ReadProgress& progress = {});
  // Returns the rings that refresh() read, without their content.
  const std::vector<RingReading>& rings() const { return rings_; }
  // Returns problems of these rings, which are also among the warnings of the
  // set.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  // Returns the rings of these traces in all directories known so far.
  std::vector<RingFile> findOurs() const;
  // Returns whether to read a ring: it belongs to this user or, if this user is
  // root, to the owner of its trace.
  bool isTrusted(const RingFile& ring) const;
  // Reads all rings that findOurs() returns.
  void readRings();
  bool learn(const TraceSet& set);
  // Adds the records of the rings that the traces do not have.
  void add(TraceSet& set);
  // Adds a warning about a ring that is not used.
  void warn(const RingFile& ring, const std::string& why);

  const std::vector<std::string> inputs_;
  const RunChoice choice_;
  // Streams of the inputs, whatever path their rings name, with the owners of
  // their files. `directories_` holds further directories that may contain
  // their rings.
  std::map<std::uint64_t, std::optional<uid_t>> streams_;
  std::set<std::string> directories_;
  // State of the current refresh().
  std::set<std::string> tried_;
  std::vector<RingReading> rings_;
  std::vector<std::string> warnings_;
  std::optional<MemoryFile> of_rings_;
};

}  // namespace traced
