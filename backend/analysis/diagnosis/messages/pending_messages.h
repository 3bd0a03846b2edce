// Messages that were under way, in dumps of them.

#pragma once

#include <cstdint>
#include <vector>

#include "analysis/diagnosis/trouble/knowledge.h"
#include "analysis/diagnosis/trouble/trouble.h"

namespace traced {

// Of dumps: messages under way that bear no number by which their other side
// could be found. A pair of ranks whose dumps hold all messages has numbers.
std::vector<Trouble> findPendingMessages(const Knowledge& knowledge);
bool hasNumbers(const JobState& job, std::uint32_t source,
                std::uint32_t destination);

}  // namespace traced
