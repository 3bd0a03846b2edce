// What ranks answered to a request, and which of them were asked.

#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "analysis/reading/trace_set.h"
#include "base/result.h"
#include "ring_io/control/control_request.h"
#include "trace_io/chunk_decoder.h"

namespace traced {

// A rank that is asked, and what it said.
struct AskedRank {
  std::uint32_t rank = 0;
  std::uint64_t stream_id = 0;
  // The newest part of its trace (ring_io/sinks/trace_parts.h).
  std::string part;
  std::optional<ControlAnswer> answer;
};

// Which ranks of a run can be asked for something, and where.
struct AskedRanks {
  // By rank.
  std::vector<AskedRank> ranks;
  // The files that they look at for requests.
  std::set<std::string> files;
  // Of the run, but not known to be alive.
  std::vector<std::uint32_t> ended;
};

// Those of the selected run that are `wanted`, all if that is absent. An Error
// is one sentence: somebody wanted is not there, or cannot be asked. Of `set`
// only the ends of streams are left.
Result<AskedRanks> ranksToAsk(
    TraceSet& set,
    const std::optional<absl::flat_hash_set<std::uint32_t>>& wanted);

// Answers tells which ranks of a running job did what a request asks for: each
// marks it in its trace, which is read from where it ended before.
//
// Not thread safe.
class Answers {
 public:
  // What is in the files by now is no answer. Made before anybody is asked.
  Answers(std::vector<AskedRank> asked, std::uint64_t request);

  // Reads what was written since the last look. True if all have answered.
  bool poll();
  const std::vector<AskedRank>& ranks() const { return ranks_; }

 private:
  void read(std::size_t index);
  // True if its newest part is followed by another one.
  bool goOn(std::size_t index);
  std::optional<ControlAnswer> answerIn(const v1::Payload& payload) const;

  std::vector<AskedRank> ranks_;
  const std::uint64_t request_;
  // How far the newest part of each was read.
  std::vector<std::uint64_t> read_;
  ChunkDecoder decoder_;
};

}  // namespace traced
