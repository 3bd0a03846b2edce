#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/diagnosis/signature_difference.h"
#include "analysis/diagnosis/trouble.h"
#include "analysis/diagnosis/words.h"

namespace traced {
namespace {

// Messages that are looked at one by one where two sides differ.
constexpr std::uint64_t kMostCompared = 4096;

struct Difference {
  std::uint64_t seq = 0;
  std::uint32_t sent = 0;
  std::uint32_t received = 0;
};

// The first number at which the two sides differ. Only where they change need
// be compared.
std::optional<Difference> firstDifference(const MessagePair& pair) {
  const PairSide& sends = pair.sends;
  const PairSide& receives = pair.receives;
  const std::uint64_t begin = std::max(sends.first(), receives.first());
  const std::uint64_t end = std::min(sends.last(), receives.last());
  std::optional<Difference> first;
  const auto compareAt = [&](std::uint64_t seq) {
    if (seq < begin || seq > end || (first && first->seq <= seq)) return;
    if (!sends.has(seq) || !receives.has(seq)) return;
    const std::uint32_t sent = sends.messageAt(seq);
    const std::uint32_t received = receives.messageAt(seq);
    if (sent != received) first = Difference{seq, sent, received};
  };
  compareAt(begin);
  for (const PairSide* side : {&sends, &receives}) {
    for (const PairSide::Run& run : side->runs()) compareAt(run.first);
  }
  return first;
}

class PairJudge {
 public:
  PairJudge(const Knowledge& knowledge, const PairKey& key,
            const MessagePair& pair, PairFindings& findings)
      : knowledge_(knowledge),
        job_(knowledge.job()),
        key_(key),
        pair_(pair),
        findings_(findings) {}

  void judge() {
    // Receives from any source have no numbers, so numbers do not pair.
    const bool numbered = pair_.receives.unnumbered() == 0;
    if (numbered && pair_.sends.first() > 0 && pair_.receives.first() > 0) {
      const auto difference = firstDifference(pair_);
      if (difference && !pairsByTag(difference->seq)) {
        tellDifference(*difference);
        return;
      }
    }
    judgeRest();
  }

 private:
  // Gloo pairs messages by their tags: within a tag in order, across tags in
  // any.
  bool pairsByTag(std::uint64_t from) const {
    std::map<std::int32_t, std::deque<std::uint32_t>> waiting;
    const std::uint64_t end =
        std::min(std::min(pair_.sends.last(), pair_.receives.last()) + 1,
                 from + kMostCompared);
    for (std::uint64_t seq = from; seq < end; ++seq) {
      if (!pair_.sends.has(seq)) return true;
      const std::uint32_t message = pair_.sends.messageAt(seq);
      waiting[job_.signatures.at(message).tag].push_back(message);
    }
    for (std::uint64_t seq = from; seq < end; ++seq) {
      if (!pair_.receives.has(seq)) return true;
      const std::uint32_t message = pair_.receives.messageAt(seq);
      auto& sent = waiting[job_.signatures.at(message).tag];
      if (sent.empty() || sent.front() != message) return false;
      sent.pop_front();
    }
    return true;
  }

  bool isSwap(const Difference& d) const {
    const std::uint64_t next = d.seq + 1;
    return pair_.sends.has(next) && pair_.receives.has(next) &&
           pair_.sends.messageAt(next) == d.received &&
           pair_.receives.messageAt(next) == d.sent;
  }

  void fill(JobVerdict& verdict, std::uint64_t seq, const char* op) const {
    verdict.group = key_.group;
    verdict.pair = {key_.source, key_.destination};
    verdict.seq = seq;
    verdict.op = op;
    verdict.ranks = {std::min(key_.source, key_.destination),
                     std::max(key_.source, key_.destination)};
    verdict.culprits = verdict.ranks;
  }

  void tellDifference(const Difference& d) {
    const Signature& sent = job_.signatures.at(d.sent);
    const Signature& received = job_.signatures.at(d.received);
    JobVerdict& verdict = findings_.verdicts.emplace_back();
    fill(verdict, d.seq, "send");
    if (isSwap(d)) {
      verdict.kind = VerdictKind::kOrderMismatch;
      verdict.evidence.push_back(
          "The next message is the other one of the two: one side has them in "
          "the opposite order.");
    } else if (sent.tag != received.tag) {
      verdict.kind = VerdictKind::kP2pUnpaired;
    } else {
      verdict.kind =
          differenceOf(sent, received).value_or(VerdictKind::kSizeMismatch);
    }
    verdict.summary = absl::StrCat(
        "Message #", d.seq, " from rank ", key_.source, " to rank ",
        key_.destination, " on \"", job_.catalog.label(key_.group),
        "\": sent as ", textOf(sent), ", received as ", textOf(received), ".");
    verdict.evidence.push_back(kNoMajority);
    verdict.advice.push_back("both sides of this exchange in the program");
    Trouble& trouble = findings_.troubles.emplace_back();
    trouble.verdict = verdict;
    trouble.inside = verdict.ranks;
    trouble.explained = true;
  }

  // Messages that only one side has.
  void judgeRest() {
    const PairSide& sends = pair_.sends;
    const PairSide& receives = pair_.receives;
    if (!sends.holes().empty() || !receives.holes().empty()) return;
    const std::uint64_t received = receives.last() + receives.unnumbered();
    const std::uint64_t sent = sends.last();
    if (sent == received) {
      judgeStuck(sent);
    } else if (sent > received) {
      judgeAlone(key_.source, key_.destination, received + 1, sends, true);
    } else if (receives.unnumbered() == 0) {
      judgeAlone(key_.destination, key_.source, sent + 1, receives, false);
    }
  }

  bool failedOn(const PairSide& side, std::uint64_t seq) const {
    return side.failed().contains(seq);
  }

  // The last message is there on both sides, but one of them failed in it.
  void judgeStuck(std::uint64_t seq) {
    const bool failed =
        failedOn(pair_.sends, seq) || failedOn(pair_.receives, seq);
    if (!failed || seq == 0) return;
    const bool sender = failedOn(pair_.sends, seq);
    const std::uint32_t self = sender ? key_.source : key_.destination;
    const std::uint32_t peer = sender ? key_.destination : key_.source;
    Trouble& trouble = findings_.troubles.emplace_back();
    JobVerdict& verdict = trouble.verdict;
    fill(verdict, seq, sender ? "send" : "recv");
    verdict.kind = VerdictKind::kFailed;
    verdict.culprits = {self};
    trouble.inside = {self};
    const RankState* other = job_.rank(peer);
    const bool gone = other && other->recovered;
    if (gone) {
      verdict.kind = VerdictKind::kLeftEarly;
      verdict.ranks = verdict.culprits = {peer};
    } else if (failedOn(pair_.sends, seq) && failedOn(pair_.receives, seq)) {
      verdict.culprits = verdict.ranks;
      trouble.inside = verdict.ranks;
    }
    verdict.summary = absl::StrCat(verdict.op, " ", messageText(seq),
                                   " failed on rank ", self, ".");
    tellFailure(verdict, self);
    verdict.evidence.push_back(knowledge_.insteadText(peer));
  }

  std::string messageText(std::uint64_t seq) const {
    return absl::StrCat("#", seq, " from rank ", key_.source, " to rank ",
                        key_.destination, " on \"",
                        job_.catalog.label(key_.group), "\"");
  }

  void tellFailure(JobVerdict& verdict, std::uint32_t rank) const {
    const auto& failure = job_.rank(rank)->first_failure;
    if (failure && failure->pair == verdict.pair && !failure->error.empty()) {
      verdict.evidence.push_back(
          absl::StrCat("It failed on rank ", rank, ": ", failure->error));
    }
  }

  void judgeAlone(std::uint32_t self, std::uint32_t peer, std::uint64_t seq,
                  const PairSide& side, bool sends) {
    const RankState* own = job_.rank(self);
    const RankState* other = job_.rank(peer);
    if (!own) return;
    Trouble trouble;
    JobVerdict& verdict = trouble.verdict;
    fill(verdict, seq, sends ? "send" : "recv");
    const OperationRef* ref = knowledge_.refOn(self, key_.group, seq, verdict);
    const std::int64_t waited = ref ? knowledge_.waitedNs(self, *ref) : 0;
    if (ref) verdict.since_ns = ref->at_ns;
    const bool failed = failedOn(side, seq);
    const bool inside = side.inside().contains(seq);
    const bool closed = other && other->closed;
    const bool matters = failed || closed || (inside && own->closed) ||
                         waited >= knowledge_.options().hung_after_ns;
    if (!matters) return;
    trouble.inside = inside || failed ? std::vector<std::uint32_t>{self}
                                      : std::vector<std::uint32_t>{};
    verdict.summary =
        absl::StrCat("Rank ", self, sends ? " sent " : " waits for ",
                     "message ", messageText(seq), ", which rank ", peer,
                     sends ? " did not receive." : " did not send.");
    tellFailure(verdict, self);
    if (!other) {
      undecided(verdict, absl::StrCat("No trace of rank ", peer, "."), {peer});
    } else if (!other->whole()) {
      undecided(
          verdict,
          absl::StrCat("The trace of rank ", peer, " lost ", other->lost, "."),
          {peer});
    } else if (const auto absent = job_.membersOf(key_.group).absent;
               !absent.empty()) {
      // The peer may have waited for one of these.
      undecided(verdict, absl::StrCat("No trace of ", ranksText(absent), "."),
                absent);
    } else {
      verdict.kind = VerdictKind::kP2pUnpaired;
      verdict.confidence =
          knowledge_.absenceOf(*other, *own, ref ? ref->at_ns : own->last_ns);
      trouble.missing = {peer};
      verdict.evidence.push_back(knowledge_.insteadText(peer));
      const bool killed = other->recovered && other->inside.empty();
      // When it was killed is not known: perhaps long after.
      if (killed) {
        verdict.kind = VerdictKind::kNeverJoined;
        verdict.ranks = verdict.culprits = {peer};
      } else {
        verdict.evidence.push_back(kNoMajority);
      }
      verdict.advice.push_back("both sides of this exchange in the program");
    }
    findings_.troubles.push_back(std::move(trouble));
  }

  void undecided(JobVerdict& verdict, std::string why,
                 std::vector<std::uint32_t> wanted) const {
    verdict.kind = VerdictKind::kUndecided;
    verdict.confidence = Confidence::kUndecided;
    verdict.ranks = std::move(wanted);
    verdict.culprits.clear();
    verdict.evidence.push_back(std::move(why));
    verdict.advice.push_back(absl::StrCat("to decide: the whole trace of ",
                                          ranksText(verdict.ranks)));
  }

  const Knowledge& knowledge_;
  const JobState& job_;
  const PairKey key_;
  const MessagePair& pair_;
  PairFindings& findings_;
};

// Source and destination.
using PairRanks = std::pair<std::uint32_t, std::uint32_t>;

bool isUnpaired(const Trouble& trouble) {
  return trouble.verdict.kind == VerdictKind::kP2pUnpaired &&
         !trouble.explained;
}

bool holds(const std::vector<std::uint32_t>& ranks, std::uint32_t rank) {
  return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

bool waitsFor(const std::vector<Trouble>& troubles, std::uint32_t rank,
              std::uint32_t peer) {
  return std::any_of(troubles.begin(), troubles.end(), [=](const Trouble& t) {
    return holds(t.inside, rank) && holds(t.missing, peer);
  });
}

// A send to a rank that was killed and to which nothing was sent before: the
// death need not be the cause.
bool isFirstToTheDead(const Trouble& sent) {
  return sent.verdict.kind == VerdictKind::kNeverJoined && !sent.explained &&
         sent.verdict.seq == 1;
}

void blameSender(JobVerdict& verdict, const PairRanks& sent,
                 const PairRanks& awaited) {
  verdict.kind = VerdictKind::kP2pUnpaired;
  verdict.culprits = {sent.first};
  std::erase(verdict.evidence, kNoMajority);
  verdict.evidence.push_back(absl::StrCat(
      "Rank ", sent.first, " sent to rank ", sent.second, ", while rank ",
      awaited.second, " waits for a message from it: it took the wrong peer."));
}

// A rank that sent a message nobody receives, while another waits for one from
// it that was never sent, took the wrong peer: unless the one it sent to waits
// for it, too, so that it has not come to the other message yet.
void blameWrongPeers(std::vector<Trouble>& troubles) {
  for (Trouble& sent : troubles) {
    const bool to_the_dead = isFirstToTheDead(sent);
    if (!isUnpaired(sent) && !to_the_dead) continue;
    if (sent.verdict.op != "send") continue;
    const PairRanks pair = *sent.verdict.pair;
    if (waitsFor(troubles, pair.second, pair.first)) continue;
    for (Trouble& awaited : troubles) {
      const bool same = isUnpaired(awaited) && awaited.verdict.op == "recv" &&
                        awaited.verdict.group == sent.verdict.group &&
                        awaited.verdict.pair->first == pair.first;
      if (!same || (to_the_dead && awaited.verdict.seq == 1)) continue;
      blameSender(sent.verdict, pair, *awaited.verdict.pair);
      blameSender(awaited.verdict, pair, *awaited.verdict.pair);
      if (to_the_dead) {
        sent.verdict.confidence = Confidence::kLikely;
        sent.verdict.evidence.push_back(absl::StrCat(
            "It had sent to that one before, and never to rank ", pair.second,
            ", which was killed, perhaps long after."));
      }
    }
  }
}

}  // namespace

PairFindings findPairTroubles(const Knowledge& knowledge) {
  PairFindings findings;
  for (const auto& [key, pair] : knowledge.job().pairs) {
    PairJudge(knowledge, key, *pair, findings).judge();
  }
  blameWrongPeers(findings.troubles);
  return findings;
}

}  // namespace traced
