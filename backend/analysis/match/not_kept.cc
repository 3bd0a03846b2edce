#include "analysis/match/not_kept.h"

#include <algorithm>

namespace traced {

void NotKept::add(const MatchEntry& entry) {
  first_ns_ = std::min(first_ns_, entry.issue_ns);
  last_ns_ = std::max(last_ns_, entry.issue_ns);
  if (entry.kind == MatchKind::kAlone) return;
  Numbers& numbers = numbers_[entry.line()];
  numbers.first = std::min(numbers.first, entry.seq);
  numbers.last = std::max(numbers.last, entry.seq);
}

bool NotKept::mayHave(const Line& line, std::uint64_t seq) const {
  const auto found = numbers_.find(line);
  return found != numbers_.end() && found->second.first <= seq &&
         seq <= found->second.last;
}

bool NotKept::mayShareRow(const MatchEntry& entry) const {
  return entry.kind != MatchKind::kAlone && mayHave(entry.line(), entry.seq);
}

bool NotKept::mayHaveCollective(std::uint32_t group, std::uint64_t seq) const {
  MatchEntry collective;
  collective.group = group;
  collective.kind = MatchKind::kCollective;
  return mayHave(collective.line(), seq);
}

}  // namespace traced
