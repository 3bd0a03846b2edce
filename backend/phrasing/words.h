// The parts of sentences: ranks, operations, groups and spans of time.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/diagnosis/job_state/job_state.h"
#include "analysis/diagnosis/job_state/silence.h"
#include "analysis/diagnosis/verdicts/facts/standstill.h"
#include "analysis/diagnosis/verdicts/facts/times.h"
#include "analysis/stream/rank_list.h"
#include "phrasing/end_text.h"

namespace traced {

// "rank 5 has", "ranks 0-3 have".
std::string ranksVerb(const std::vector<std::uint32_t>& ranks,
                      const char* singular, const char* plural);
// "Rank 5", "Ranks 0-3": the begin of a sentence.
std::string capitalRanks(const std::vector<std::uint32_t>& ranks);
// Returns the predicate for `ranks` of an end that endText() has for one rank:
// "were killed by SIGKILL" for "was killed by SIGKILL" and several ranks.
std::string endOf(const std::vector<std::uint32_t>& ranks,
                  const std::string& end);
// "\"dp\"".
std::string groupText(const JobState& job, std::uint32_t group);
// "#1532 of \"dp\"".
std::string numberText(const JobState& job, std::uint32_t group,
                       std::uint64_t seq);
// "all_reduce #1532 of \"dp\"".
std::string callText(const JobState& job, const CollectiveAt& call);
// "all_reduce #1532 on \"dp\"", "recv #3 from rank 1 on \"pp\"".
std::string operationText(const JobState& job, const CallOn& call);
std::string operationText(const JobState& job, const OperationRef& operation);
// The same with the line that called it, ", called at train.py:120 in forward",
// where that is known.
std::string placedText(const JobState& job, const CallOn& call);
// "at /job/train.py:120 in forward, in step 812, in Net.layers.3 (backward),
// annotated \"epoch / warm-up\", while handling MemoryError, raised at
// /job/train.py:9 in train": what is known of it.
std::string placeText(const CallSite& place);
// "all_reduce #7 of \"dp\"", "the message from rank 0 to rank 1 on \"pp\"".
std::string stuckText(const JobState& job, const OperationSubject& operation);
// "#3 from rank 0 to rank 1 on \"pp\"", "from rank 0 to rank 1 on \"pp\"".
std::string messageText(const JobState& job, const MessageAt& message);
// Returns the predicate of its ranks: "called no operation for 12.3 s".
std::string silenceText(const Ranks& ranks, std::int64_t least_ns);
inline std::string silenceText(const Silence& silence) {
  return silenceText(silence.ranks, silence.least_ns);
}
// "a message of 64 KiB from rank 1 to rank 2", "all_reduce (4 KiB float32, sum)
// on rank 1", the same "among ranks 0-3".
std::string transfersText(const SlowTransfers& slow);
// Returns what a node is called; "a node without a name" for "".
std::string nodeText(const std::string& name);
// "7 records dropped (full), 1 gaps between chunks".
std::string lostText(const std::vector<LostPart>& lost);
// "12.3 s".
std::string secondsText(std::int64_t ns);

}  // namespace traced
