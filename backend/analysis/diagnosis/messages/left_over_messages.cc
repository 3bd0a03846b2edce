#include <algorithm>
#include <optional>
#include <utility>

#include "analysis/diagnosis/messages/message_pair.h"
#include "analysis/diagnosis/messages/pairing.h"

namespace traced {
namespace {

// Marks the message as possibly held up: after a timeout on a device, it may
// have been queued behind an earlier operation of either rank.
void letBeHeldUp(const PairCase& pair, std::uint64_t seq,
                 StuckOperation& stuck) {
  stuck.may_be_held_up = true;
  stuck.inside.clear();
  for (const auto& [rank, side] :
       {std::pair(pair.key.source, &pair.messages.sends),
        std::pair(pair.key.destination, &pair.messages.receives)}) {
    if (!side->failed().contains(seq) && !side->inside().contains(seq)) {
      continue;
    }
    addRanks(stuck.inside, {rank});
    const OperationRef* ref =
        pair.absence.refOn(rank, pair.key.group, seq, stuck.verdict.pair);
    if (ref) stuck.issued_ns[rank] = ref->at_ns;
  }
}

// Judges the last message, which both sides have, if one of them failed in it.
void judgeStuck(const PairCase& pair, std::uint64_t seq,
                PairFindings& findings) {
  const bool send_failed = pair.messages.sends.failed().contains(seq);
  const bool receive_failed = pair.messages.receives.failed().contains(seq);
  if (seq == 0 || (!send_failed && !receive_failed)) return;
  const auto [self, peer] =
      send_failed ? std::pair(pair.key.source, pair.key.destination)
                  : std::pair(pair.key.destination, pair.key.source);
  StuckOperation& stuck = findings.all_stuck.emplace_back();
  JobVerdict& verdict = stuck.verdict;
  verdict = pair.verdict(seq, send_failed ? "send" : "recv");
  verdict.kind = VerdictKind::kFailed;
  verdict.culprits = {self};
  verdict.finding = Confidence::kCertain;
  verdict.culprit = Confidence::kLikely;
  stuck.inside = {self};
  const RankState* other = pair.job().rank(peer);
  if (other && other->recovered) {
    verdict.kind = VerdictKind::kLeftEarly;
    // The process may have been killed because of the failure.
    verdict.finding = Confidence::kLikely;
    verdict.ranks = verdict.culprits = {peer};
  } else if (send_failed && receive_failed) {
    verdict.culprits = verdict.ranks;
    verdict.culprit = Confidence::kUndecided;
    stuck.inside = verdict.ranks;
  }
  verdict.summary = {MessageFailed{verdict.op, pair.message(seq), self}};
  const OperationRef* failure =
      pair.absence.refOn(self, pair.key.group, seq, verdict.pair);
  if (failure && failure->timedOut() && !pair.engine().on_host) {
    letBeHeldUp(pair, seq, stuck);
  }
  pair.reportFailure(self, verdict);
  verdict.now.push_back(pair.absence.insteadOf(peer));
}

void reportUnknown(JobVerdict& verdict, Fact why,
                   std::vector<std::uint32_t> wanted) {
  verdict.kind = VerdictKind::kUndecided;
  verdict.finding = verdict.culprit = Confidence::kUndecided;
  verdict.ranks = std::move(wanted);
  verdict.culprits.clear();
  verdict.reasons.push_back(std::move(why));
  verdict.advice.push_back(AskWholeTrace{verdict.ranks});
}

void blamePeer(const PairCase& pair, const RankState& own,
               const RankState& peer, StuckOperation& stuck) {
  JobVerdict& verdict = stuck.verdict;
  verdict.kind = VerdictKind::kP2pUnpaired;
  verdict.finding =
      pair.absence.absenceOf(peer, own, verdict.since_ns.value_or(own.last_ns));
  stuck.missing = {peer.rank};
  verdict.now.push_back(pair.absence.insteadOf(peer.rank));
  // The time of the kill is unknown and may be much later.
  if ((peer.recovered || peer.end.wasInterrupted()) && peer.inside.empty()) {
    verdict.kind = VerdictKind::kNeverJoined;
    verdict.ranks = verdict.culprits = {peer.rank};
    verdict.culprit = Confidence::kLikely;
  } else {
    verdict.reasons.push_back(PlainFact::kTwoCannotOutvote);
  }
  verdict.advice.push_back(PlainFact::kAskBothSides);
}

// Judges a message that the peer's side lacks.
void judgePeer(const PairCase& pair, const RankState& own, std::uint32_t peer,
               StuckOperation& stuck) {
  const RankState* other = pair.job().rank(peer);
  if (!other && pair.absence.expectsDumps(pair.key.group)) {
    blameWithoutDump(peer, stuck);
    stuck.verdict.reasons.push_back(NoTrace{{peer}});
    stuck.verdict.advice.push_back(AskDump{peer});
  } else if (!other) {
    reportUnknown(stuck.verdict, NoTrace{{peer}}, {peer});
  } else if (!other->whole()) {
    reportUnknown(stuck.verdict, LostRecords{peer}, {peer});
  } else if (!pair.absent.empty()) {
    // The peer may have waited for one of these.
    reportUnknown(stuck.verdict, NoTrace{pair.absent}, pair.absent);
  } else {
    blamePeer(pair, own, *other, stuck);
  }
}

// Judges a message that only one side has. Returns whether it was reported.
bool judgeAlone(const PairCase& pair, bool sends, std::uint64_t seq,
                PairFindings& findings) {
  const auto [self, peer] =
      sends ? std::pair(pair.key.source, pair.key.destination)
            : std::pair(pair.key.destination, pair.key.source);
  const PairSide& side = sends ? pair.messages.sends : pair.messages.receives;
  const RankState* own = pair.job().rank(self);
  const RankState* other = pair.job().rank(peer);
  if (!own) return false;
  StuckOperation stuck;
  JobVerdict& verdict = stuck.verdict;
  verdict = pair.verdict(seq, sends ? "send" : "recv");
  const OperationRef* ref =
      pair.absence.refOn(self, pair.key.group, seq, verdict.pair);
  const std::int64_t waited = ref ? pair.absence.waitedNs(self, *ref) : 0;
  if (ref) verdict.since_ns = ref->at_ns;
  const bool knows_wait = pair.absence.knowsAges() && waited > 0;
  if (knows_wait && side.inside().contains(seq)) verdict.waited_ns = waited;
  const bool failed = side.failed().contains(seq);
  const bool inside = side.inside().contains(seq);
  const bool matters = failed || (other && other->closed) ||
                       (inside && own->closed) ||
                       (ref && pair.absence.isStuck(waited));
  if (!matters) return false;
  if (inside || failed) stuck.inside = {self};
  if (inside && ref && ref->blocks) stuck.blocked = {self};
  if (inside && ref && ref->perhaps) stuck.perhaps = {self};
  stuck.needs_all = pair.engine().ends_prove_starts;
  stuck.may_be_held_up = !pair.absence.knowsAges() && !pair.engine().on_host;
  if (ref) stuck.issued_ns[self] = ref->at_ns;
  using Own = MessageAlone::Own;
  const Own awaits = stuck.perhaps.empty() ? Own::kWaits : Own::kExpects;
  verdict.summary = {
      MessageAlone{sends ? Own::kSent : awaits, pair.message(seq)}};
  pair.reportFailure(self, verdict);
  judgePeer(pair, *own, peer, stuck);
  findings.all_stuck.push_back(std::move(stuck));
  return true;
}

// Judges the first message that only one side has. If nothing shows that this
// side waited for it, judges the next one it is inside of.
void judgeFrom(const PairCase& pair, bool sends, std::uint64_t seq,
               PairFindings& findings) {
  if (judgeAlone(pair, sends, seq, findings)) return;
  const PairSide& side = sends ? pair.messages.sends : pair.messages.receives;
  for (const SeqRanges::Range& range : side.inside().ranges()) {
    if (range.last <= seq) continue;
    judgeAlone(pair, sends, std::max(range.first, seq + 1), findings);
    return;
  }
}

// Returns the first message that only one side has, paired by tags. Absent if
// the sides do not differ or the engine does not match tags.
std::optional<std::uint64_t> leftOverByTag(const PairCase& pair, bool sends) {
  if (pair.messages.receives.unnumbered() > 0 ||
      pair.engine().tags != EngineTraits::Tags::kMatched) {
    return std::nullopt;
  }
  const auto difference = firstDifference(pair.messages);
  if (!difference) return std::nullopt;
  const TagPairing by_tags =
      pairByTags(pair.job().signatures, pair.messages, difference->seq);
  return sends ? by_tags.not_received : by_tags.not_sent;
}

}  // namespace

void findLeftOver(const PairCase& pair, PairFindings& findings) {
  const PairSide& sends = pair.messages.sends;
  const PairSide& receives = pair.messages.receives;
  if (!sends.holes().empty() || !receives.holes().empty()) return;
  const std::uint64_t received = receives.last() + receives.unnumbered();
  const std::uint64_t sent = sends.last();
  if (sent == received) {
    judgeStuck(pair, sent, findings);
  } else if (sent > received) {
    judgeFrom(pair, true, leftOverByTag(pair, true).value_or(received + 1),
              findings);
  } else if (receives.unnumbered() == 0) {
    judgeFrom(pair, false, leftOverByTag(pair, false).value_or(sent + 1),
              findings);
  }
}

}  // namespace traced
