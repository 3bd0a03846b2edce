// Finds the ranks to send a request to, and reads their answers.

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

// A rank that received the request, and its answer.
struct AskedRank {
  std::uint32_t rank = 0;
  std::uint64_t stream_id = 0;
  // Path of the newest part of its trace (ring_io/sinks/trace_parts.h).
  std::string part;
  std::optional<ControlAnswer> answer;
};

// The ranks of a run that can receive a request.
struct AskedRanks {
  // Sorted by rank.
  std::vector<AskedRank> ranks;
  // The request files that these ranks poll.
  std::set<std::string> files;
  // Ranks of the run that are not known to be alive.
  std::vector<std::uint32_t> ended;
};

// Returns the ranks of the selected run that are in `wanted`, or all if it is
// absent. An Error is one sentence: a wanted rank is absent or cannot receive
// requests. Removes everything from `set` except the ends of streams.
Result<AskedRanks> ranksToAsk(
    TraceSet& set,
    const std::optional<absl::flat_hash_set<std::uint32_t>>& wanted);

// Answers polls which ranks of a running job have fulfilled a request. Each
// rank marks its answer in its trace. Each poll reads only new data.
//
// Not thread safe.
class Answers {
 public:
  // Ignores everything that the files already contain. Construct this before
  // sending the request.
  Answers(std::vector<AskedRank> asked, std::uint64_t request);

  // Reads the data written since the last poll. Returns true if all ranks have
  // answered.
  bool poll();
  const std::vector<AskedRank>& ranks() const { return ranks_; }

 private:
  void read(std::size_t index);
  // Switches to the next part of the rank's trace. Returns false if there is
  // none yet.
  bool openNextPart(std::size_t index);
  // Returns the answer to the request, if the payload has one.
  std::optional<ControlAnswer> answerIn(const v1::Payload& payload) const;

  std::vector<AskedRank> ranks_;
  const std::uint64_t request_;
  // Bytes read of each rank's newest part.
  std::vector<std::uint64_t> read_;
  ChunkDecoder decoder_;
};

}  // namespace traced
