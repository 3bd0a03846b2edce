#include "analysis/diagnosis/group_standing.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "analysis/diagnosis/words.h"
#include "analysis/names.h"

namespace traced {
namespace {

constexpr std::uint64_t kNowhere = GroupStanding::kNowhere;

std::uint64_t firstOf(const SeqRanges& ranges) {
  return ranges.empty() ? kNowhere : ranges.ranges().front().first;
}

// The first operation that some have not ended, or have not joined.
std::uint64_t locate(const CollectiveTable& table, std::size_t present) {
  std::uint64_t seq = kNowhere;
  std::uint64_t least = kNowhere;
  std::uint64_t most = 0;
  for (const MemberProgress& member : table.members()) {
    least = std::min(least, member.last);
    most = std::max(most, member.last);
    seq = std::min({seq, firstOf(member.inside), firstOf(member.failed)});
  }
  if (present > table.members().size()) least = 0;
  if (least < most) seq = std::min(seq, least + 1);
  // Numbers begin where the first trace that kept its beginning begins.
  const bool before_all =
      least == 0 && seq != kNowhere &&
      table.signatureOf(seq) == CollectiveTable::kNoSignature;
  return before_all ? table.firstSeq() : seq;
}

void sortMembers(GroupStanding& standing, const CollectiveTable& table) {
  const std::uint64_t seq = standing.seq;
  for (const std::uint32_t rank : standing.members.present) {
    const MemberProgress* member = table.member(rank);
    if (!member || member->last < seq) {
      standing.missing.push_back(rank);
    } else if (member->failed.contains(seq)) {
      standing.failed.push_back(rank);
    } else if (member->inside.contains(seq)) {
      standing.inside.push_back(rank);
    } else if (!member->joined(seq)) {
      standing.unknown.push_back(rank);
    } else if (member->not_observed.contains(seq)) {
      standing.not_observed.push_back(rank);
    } else {
      standing.ended.push_back(rank);
    }
  }
}

void measureWaits(GroupStanding& standing) {
  for (const auto* ranks : {&standing.inside, &standing.failed}) {
    for (const std::uint32_t rank : *ranks) {
      const OperationRef* ref = standing.knowledge.refOn(
          rank, standing.group, standing.seq, std::nullopt);
      if (!ref) continue;
      standing.since_ns =
          std::max(standing.since_ns.value_or(ref->at_ns), ref->at_ns);
      const std::int64_t waited = standing.knowledge.waitedNs(rank, *ref);
      standing.waited_ns =
          std::min(standing.waited_ns.value_or(waited), waited);
      standing.longest_ns = std::max(standing.longest_ns, waited);
    }
  }
}

}  // namespace

std::optional<GroupStanding> standingOf(const Knowledge& knowledge,
                                        std::uint32_t group) {
  const CollectiveTable& table = knowledge.job().groups[group].collectives;
  if (table.members().empty()) return std::nullopt;
  GroupStanding standing(knowledge, group);
  standing.seq = locate(table, standing.members.present.size());
  if (standing.seq == kNowhere) return std::nullopt;
  sortMembers(standing, table);
  measureWaits(standing);
  return standing;
}

std::vector<std::uint32_t> GroupStanding::joined() const {
  std::vector<std::uint32_t> joined = inside;
  for (const auto* ranks : {&failed, &not_observed, &ended}) {
    addRanks(joined, *ranks);
  }
  return joined;
}

bool GroupStanding::closedInside() const {
  return std::any_of(inside.begin(), inside.end(), [this](std::uint32_t rank) {
    return job().rank(rank)->closed;
  });
}

const OperationRef* GroupStanding::failureOn(std::uint32_t rank) const {
  const auto& failure = job().rank(rank)->first_failure;
  const bool here = failure && failure->group == group && failure->seq == seq;
  return here ? &*failure : nullptr;
}

std::string GroupStanding::op() const {
  const std::uint32_t signature =
      job().groups[group].collectives.signatureOf(seq);
  return signature == CollectiveTable::kNoSignature
             ? ""
             : nameOf(job().signatures.at(signature).op);
}

std::string GroupStanding::what() const {
  return absl::StrCat(op(), " ", placeText(job(), group, seq));
}

Trouble GroupStanding::trouble() const {
  Trouble trouble;
  trouble.inside = inside;
  addRanks(trouble.inside, failed);
  trouble.missing = missing;
  trouble.verdict.group = group;
  trouble.verdict.seq = seq;
  trouble.verdict.op = op();
  trouble.verdict.since_ns = since_ns;
  return trouble;
}

}  // namespace traced
