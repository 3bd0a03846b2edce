#include <algorithm>
#include <vector>

#include "analysis/diagnosis/messages/message_pair.h"
#include "analysis/diagnosis/messages/pairing.h"
#include "analysis/diagnosis/mismatch/call_difference.h"

namespace traced {
namespace {

// Compares the received messages with the sent ones, from `seq` on.
CallShift shiftFrom(const MessagePair& pair, std::uint64_t seq) {
  constexpr std::uint64_t kWindow = 10;
  const auto messagesOf = [&](const PairSide& side) {
    std::vector<std::uint32_t> messages;
    for (std::uint64_t i = seq; i < seq + kWindow && i <= side.last(); ++i) {
      messages.push_back(side.has(i) ? side.messageAt(i)
                                     : CollectiveTable::kNoSignature);
    }
    return messages;
  };
  return shiftOf({messagesOf(pair.sends), messagesOf(pair.receives)});
}

// Returns whether the messages `seq` and `seq + 1` are the last of both sides
// and are swapped.
bool isLastSwap(const PairCase& pair, std::uint64_t seq) {
  const PairSide& sends = pair.messages.sends;
  const PairSide& receives = pair.messages.receives;
  const std::uint64_t next = seq + 1;
  return sends.last() == next && receives.last() == next && pair.bothClosed() &&
         sends.messageAt(next) == receives.messageAt(seq) &&
         receives.messageAt(next) == sends.messageAt(seq);
}

// Numbers show a shift only if the message has the same number on both sides.
CallShift shiftAt(const PairCase& pair, const Difference& d) {
  if (!d.same_number) return CallShift::kNone;
  return isLastSwap(pair, d.seq) ? CallShift::kSwapped
                                 : shiftFrom(pair.messages, d.seq);
}

bool tagsDiffer(const PairCase& pair, const Difference& d) {
  const SignatureTable& signatures = pair.job().signatures;
  return signatures.at(d.sent).tag != signatures.at(d.received).tag;
}

// Returns whether the tags differ and the engine may ignore tags.
bool mayBeIgnored(const PairCase& pair, const Difference& d) {
  return pair.engine().tags == EngineTraits::Tags::kUnknown &&
         tagsDiffer(pair, d);
}

bool endsAtOrBehind(const SeqRanges& seqs, std::uint64_t from) {
  return !seqs.empty() && seqs.ranges().back().last >= from;
}

// Returns whether a side failed in message `from` or a later one, or is stuck
// there.
bool isStuckBehind(const PairCase& pair, std::uint64_t from) {
  const auto& [sends, receives] = pair.messages;
  if (endsAtOrBehind(sends.failed(), from) ||
      endsAtOrBehind(receives.failed(), from)) {
    return true;
  }
  const AbsenceEvidence& absence = pair.absence;
  const std::pair ranks(pair.key.source, pair.key.destination);
  const auto standsStillOn = [&](std::uint32_t rank) {
    const RankState* state = pair.job().rank(rank);
    return state &&
           std::any_of(state->inside.begin(), state->inside.end(),
                       [&](const OperationRef& ref) {
                         return ref.group == pair.key.group &&
                                ref.pair == ranks && ref.seq >= from &&
                                absence.isStuck(absence.waitedNs(rank, ref));
                       });
  };
  return standsStillOn(ranks.first) || standsStillOn(ranks.second);
}

// Returns whether the tags differ and the matching messages might still have
// been called. That is possible if a process did not close its trace and
// neither side is stuck.
bool mayYetMeet(const PairCase& pair, const Difference& d) {
  return tagsDiffer(pair, d) && !pair.bothClosed() &&
         !isStuckBehind(pair, d.seq);
}

// Returns whether batches and single messages are mixed. NCCL runs a batch on
// the group's communicator and single messages on one per pair, and keeps order
// only within each.
bool mayBeInTwoOrders(const PairCase& pair) {
  return !pair.engine().on_host && (pair.messages.sends.mixesBatches() ||
                                    pair.messages.receives.mixesBatches());
}

JobVerdict reportDifference(const PairCase& pair, const Difference& d) {
  const Signature& sent = pair.job().signatures.at(d.sent);
  const Signature& received = pair.job().signatures.at(d.received);
  JobVerdict verdict = pair.verdict(d.seq, "send");
  // A message with a different tag might have matched a later call.
  const bool tags_differ = tagsDiffer(pair, d);
  const bool two_orders = mayBeInTwoOrders(pair);
  verdict.finding = (tags_differ && !pair.bothClosed()) || two_orders
                        ? Confidence::kLikely
                        : Confidence::kCertain;
  const CallShift shift = shiftAt(pair, d);
  if (shift != CallShift::kNone) {
    verdict.reasons.push_back(ReceiverOutOfStep{shift});
  }
  if (shift == CallShift::kSwapped) {
    verdict.kind = VerdictKind::kOrderMismatch;
  } else if (tags_differ) {
    verdict.kind = VerdictKind::kP2pUnpaired;
  } else {
    verdict.kind =
        differenceOf(sent, received).value_or(VerdictKind::kSizeMismatch);
  }
  verdict.summary = {
      MessagesDiffer{pair.message(d.seq), textOf(sent), textOf(received)}};
  verdict.reasons.push_back(PlainFact::kTwoCannotOutvote);
  if (two_orders) verdict.reasons.push_back(PlainFact::kSomeInBatches);
  verdict.advice.push_back(PlainFact::kAskBothSides);
  return verdict;
}

}  // namespace

bool findDifference(const PairCase& pair, PairFindings& findings) {
  const MessagePair& messages = pair.messages;
  // Receives from any source have no numbers, so numbers cannot pair messages.
  const bool numbered = messages.receives.unnumbered() == 0 &&
                        messages.sends.first() > 0 &&
                        messages.receives.first() > 0;
  if (!numbered) return false;
  const auto difference = firstDifference(messages);
  if (!difference || mayBeIgnored(pair, *difference) ||
      mayYetMeet(pair, *difference)) {
    return false;
  }
  const TagPairing by_tags =
      pairByTags(pair.job().signatures, messages, difference->seq);
  const bool both_left_over = by_tags.not_received && by_tags.not_sent;
  if (!by_tags.unlike && !both_left_over) return false;
  StuckOperation& stuck = findings.all_stuck.emplace_back();
  stuck.verdict = reportDifference(pair, by_tags.unlike.value_or(*difference));
  stuck.inside = stuck.verdict.ranks;
  stuck.explained = true;
  findings.verdicts.push_back(stuck.verdict);
  return true;
}

}  // namespace traced
