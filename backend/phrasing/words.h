// Parts of sentences: ranks, operations, groups and durations.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/diagnosis/job_state/job_state.h"
#include "analysis/diagnosis/job_state/silence.h"
#include "analysis/diagnosis/verdicts/facts/stuck_groups.h"
#include "analysis/diagnosis/verdicts/facts/times.h"
#include "analysis/stream/rank_list.h"
#include "phrasing/end_text.h"

namespace traced {

// Returns ranks with a verb: "rank 5 has", "ranks 0-3 have".
std::string ranksVerb(const std::vector<std::uint32_t>& ranks,
                      const char* singular, const char* plural);
// Returns ranks at the start of a sentence: "Rank 5", "Ranks 0-3".
std::string capitalRanks(const std::vector<std::uint32_t>& ranks);
// Adapts a predicate of endText() to `ranks`: several ranks "were killed by
// SIGKILL" where one "was killed by SIGKILL".
std::string endOf(const std::vector<std::uint32_t>& ranks,
                  const std::string& end);
// Returns a group's quoted label: "\"dp\"".
std::string groupText(const JobState& job, std::uint32_t group);
// Returns an operation's number: "#1532 of \"dp\"".
std::string numberText(const JobState& job, std::uint32_t group,
                       std::uint64_t seq);
// Returns, for example, "all_reduce #1532 of \"dp\"".
std::string callText(const JobState& job, const CollectiveAt& call);
// Returns, for example, "all_reduce #1532 on \"dp\"" or "recv #3 from rank 1 on
// \"pp\"".
std::string operationText(const JobState& job, const CallOn& call);
std::string operationText(const JobState& job, const OperationRef& operation);
// Returns operationText() with the call site, ", called at train.py:120 in
// forward", if it is known.
std::string placedText(const JobState& job, const CallOn& call);
// Returns the known parts of a call site: "at /job/train.py:120 in forward, in
// step 812, in Net.layers.3 (backward), annotated \"epoch / warm-up\", while
// handling MemoryError, raised at /job/train.py:9 in train".
std::string placeText(const CallSite& place);
// Returns, for example, "all_reduce #7 of \"dp\"" or "the message from rank 0
// to rank 1 on \"pp\"".
std::string stuckText(const JobState& job, const OperationSubject& operation);
// Returns, for example, "#3 from rank 0 to rank 1 on \"pp\""; without its
// number "from rank 0 to rank 1 on \"pp\"".
std::string messageText(const JobState& job, const MessageAt& message);
// Returns "new_group() for 12.3 s, called at /job/train.py:12 in main".
std::string creatingText(const Creating& call);
// Returns the predicate for silent ranks: "called no operation for 12.3 s".
// `least_ns` is in nanoseconds, and a lower bound if there are several ranks.
std::string silenceText(const Ranks& ranks, std::int64_t least_ns);
inline std::string silenceText(const Silence& silence) {
  return silenceText(silence.ranks, silence.least_ns);
}
// Returns, for example, "a message of 64 KiB from rank 1 to rank 2",
// "all_reduce (4 KiB float32, sum) on rank 1", or the latter "among ranks 0-3".
std::string transfersText(const SlowTransfers& slow);
// Returns the name of a node; "a node without a name" for "".
std::string nodeText(const std::string& name);
// Returns, for example, "7 records dropped (full), 1 gaps between chunks".
std::string lostText(const std::vector<LostPart>& lost);
// Converts nanoseconds to seconds: "12.3 s".
std::string secondsText(std::int64_t ns);

}  // namespace traced
