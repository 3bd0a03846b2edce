// Checks that no certain verdict is false, and that a healthy run has no
// verdict.

#include <algorithm>
#include <cstdio>
#include <string>

#include "analysis/diagnosis/diagnosis.h"
#include "phrasing/verdict_text.h"
#include "truth/clocks.h"
#include "truth/contents.h"
#include "truth/trial.h"
#include "truth/wiring.h"

namespace traced::truth {
namespace {

bool isMismatch(VerdictKind kind) {
  return kind == VerdictKind::kOrderMismatch ||
         kind == VerdictKind::kOpMismatch ||
         kind == VerdictKind::kSizeMismatch ||
         kind == VerdictKind::kDtypeMismatch ||
         kind == VerdictKind::kReduceOpMismatch ||
         kind == VerdictKind::kRootMismatch ||
         kind == VerdictKind::kSplitMismatch;
}

bool isAboutContent(VerdictKind kind) {
  return kind == VerdictKind::kCorruptedTransfer ||
         kind == VerdictKind::kNanOrigin;
}

class VerdictCheck {
 public:
  VerdictCheck(const Trial& trial, const Diagnosis& diagnosis, Lies& lies)
      : trial_(trial),
        diagnosis_(diagnosis),
        contents_(trial.program, trial.history),
        lies_(lies) {}

  void check() {
    const bool faulty = trial_.isFaulty();
    if (trial_.history.fault_at == kNever && trial_.history.hung) {
      lies_.push_back({"simulation", "a healthy program hangs"});
    }
    for (const JobVerdict& verdict : diagnosis_.verdicts) {
      if (isAboutContent(verdict.kind)) {
        checkContents(verdict);
        continue;
      }
      if (!faulty) {
        checkHealthy(verdict);
      } else if (verdict.finding == Confidence::kCertain) {
        checkFinding(verdict);
      }
      checkWiring(verdict);
      if (verdict.culprit == Confidence::kCertain) checkCulprit(verdict);
      checkCallSites(verdict);
      checkThreads(verdict);
      checkGradients(verdict);
      if (faulty) checkTiming(verdict);
      if (faulty) checkEnds(verdict);
    }
    if (faulty && isSimple()) checkReported();
    if (faulty && isLateForSure() && !reportsLate()) {
      lies_.push_back({"a late rank is not reported", "2.5 s late, once"});
    }
    if (sharesNames(trial_.program) && trial_.isWhole() &&
        !reportsSharedName()) {
      lies_.push_back({"a shared name is not reported", "own groups"});
    }
    if (trial_.program.fault.kind == FaultKind::kUnsynchronised &&
        trial_.isWhole() &&
        !reports(VerdictKind::kUnsynchronisedGradients, "never exchange")) {
      lies_.push_back({"gradients apart are not reported", text()});
    }
    if (isCorruptedForSure() && !reports(VerdictKind::kCorruptedTransfer, "")) {
      lies_.push_back({"a corrupted transfer is not reported", text()});
    }
    if (hasNanForSure() && !reports(VerdictKind::kNanOrigin, "")) {
      lies_.push_back({"NaN is not reported", text()});
    }
    const bool silent = diagnosis_.healthy();
    if (silent && !faulty) return;
    if (silent && trial_.isWhole() && someoneHangs() &&
        has(trial_.program.features, Feature::kSilence)) {
      lies_.push_back({"healthy: of a run that hangs", "nothing was found"});
    }
  }

 private:
  void report(const std::string& check, const JobVerdict& verdict) {
    std::string text = std::string(nameOf(verdict.finding)) + " " +
                       nameOf(verdict.kind) + ": " + summary(verdict);
    for (const std::string& line : phrases(diagnosis_.job, verdict.now)) {
      text += "\n    - " + line;
    }
    for (const std::string& line : evidence(verdict)) text += "\n    " + line;
    lies_.push_back({check + ": " + nameOf(verdict.kind), std::move(text)});
  }

  // Checks that a culprit named by call sites is the faulty rank. With two
  // ranks, an extra call is indistinguishable from an omitted one.
  void checkCallSites(const JobVerdict& verdict) {
    const bool extra = contains(verdict, "likely made an extra call");
    const bool left_out = contains(verdict, "likely left out a call");
    if (!extra && !left_out) return;
    const FaultKind fault = trial_.program.fault.kind;
    const bool is_shift =
        fault == FaultKind::kExtra || fault == FaultKind::kSkip;
    const auto group = trial_.groupOf(diagnosis_.job, verdict.group);
    const bool of_two =
        group && trial_.history.groups[*group].members.size() == 2;
    if (is_shift && of_two) return;
    const bool right = verdict.culprits == Ranks{trial_.program.fault.rank} &&
                       (fault == FaultKind::kExtra) == extra;
    if (!is_shift || !right) report("names another by call sites", verdict);
  }

  // Checks that no thread race is reported: threads are never inside calls at
  // the same time.
  void checkThreads(const JobVerdict& verdict) {
    if (contains(verdict, "Two threads")) report("threads race", verdict);
  }

  // Checks that gradients are called unsynchronised only if no data is
  // exchanged.
  void checkGradients(const JobVerdict& verdict) {
    if (verdict.kind == VerdictKind::kUnsynchronisedGradients &&
        trial_.program.fault.kind != FaultKind::kUnsynchronised) {
      report("exchanged gradients", verdict);
    }
  }

  const Happened& plantedOperation() const {
    const PlantedContent& content = contents_.planted();
    return trial_.history.ranks[content.rank].operations[content.operation];
  }

  // Checks that a verdict about the content of tensors names what was planted.
  // A rank whose own records are missing may seem to be the origin of NaN, but
  // not for sure.
  void checkContents(const JobVerdict& verdict) {
    const bool is_nan = verdict.kind == VerdictKind::kNanOrigin;
    const PlantedContent& content = contents_.planted();
    const bool is_planted =
        content.kind ==
            (is_nan ? ContentFault::kNan : ContentFault::kCorrupted) &&
        trial_.groupOf(diagnosis_.job, verdict.group) ==
            plantedOperation().call.group &&
        verdict.seq == plantedOperation().seq &&
        std::find(verdict.culprits.begin(), verdict.culprits.end(),
                  content.rank) != verdict.culprits.end();
    const bool may_err = is_nan && content.kind == ContentFault::kNan &&
                         !trial_.isWhole() &&
                         verdict.finding != Confidence::kCertain;
    if (!is_planted && !may_err) report("sound content", verdict);
  }

  // Messages with two tags cannot be matched.
  bool isCorruptedForSure() const {
    return contents_.planted().kind == ContentFault::kCorrupted &&
           trial_.isWhole() && !trial_.isFaulty() &&
           plantedOperation().call.peer_plus_1 == 0;
  }
  // NaN in a reduction, which a later input confirms.
  bool hasNanForSure() const {
    const PlantedContent& content = contents_.planted();
    if (content.kind != ContentFault::kNan || !trial_.isWhole() ||
        trial_.isFaulty() ||
        plantedOperation().call.reduce_op == v1::REDUCE_OP_UNSPECIFIED) {
      return false;
    }
    const auto& own = trial_.history.ranks[content.rank].operations;
    for (std::uint32_t i = content.operation + 1; i < own.size(); ++i) {
      const auto rows =
          contents_.statistics(content.rank, i, ExaminedAt::kIssue);
      if (!rows.empty() && rows[0].nan > 0) return true;
    }
    return false;
  }

  std::string summary(const JobVerdict& verdict) const {
    return summaryOf(diagnosis_.job, verdict);
  }
  std::vector<std::string> evidence(const JobVerdict& verdict) const {
    return phrases(diagnosis_.job, verdict.reasons);
  }
  bool contains(const JobVerdict& verdict, const std::string& text) const {
    return summary(verdict).find(text) != std::string::npos;
  }
  // Returns whether a line of the verdict's reasons contains the text.
  bool proves(const JobVerdict& verdict, const char* text) const {
    const std::vector<std::string> lines = evidence(verdict);
    return std::any_of(lines.begin(), lines.end(), [&](const auto& line) {
      return line.find(text) != std::string::npos;
    });
  }

  // Checks that no certain verdict is about a group that connects ranks other
  // than its members. Complete traces show that, and who waits for whom is then
  // unknown.
  void checkWiring(const JobVerdict& verdict) {
    if (!trial_.isWhole()) return;
    const auto group = trial_.groupOf(diagnosis_.job, verdict.group);
    const VerdictTraits& traits = traitsOf(verdict.kind);
    if (!group || traits.about_wiring || traits.of_one_rank ||
        verdict.finding != Confidence::kCertain) {
      return;
    }
    const Wiring wiring(trial_.program, trial_.history.groups);
    if (wiring.isCrossed(*group)) report("certain of a crossed group", verdict);
  }

  bool reportsSharedName() const {
    return std::any_of(diagnosis_.verdicts.begin(), diagnosis_.verdicts.end(),
                       [](const JobVerdict& each) {
                         return each.kind == VerdictKind::kSharedGroupName;
                       });
  }

  // Returns whether some member called the operation after another one had
  // ended it.
  bool endedUnjoinedIsTrue(const JobVerdict& verdict) const {
    const auto group = trial_.groupOf(diagnosis_.job, verdict.group);
    if (!group) return false;
    std::int64_t first_end = kNever;
    std::int64_t last_call = 0;
    for (const std::uint32_t rank : trial_.history.groups[*group].members) {
      const Happened* op = trial_.collective(rank, *group, verdict.seq);
      if (!op) continue;
      if (!op->failed) first_end = std::min(first_end, op->ended);
      last_call = std::max(last_call, op->issued);
    }
    return first_end < last_call;
  }

  bool reportsWaits(const JobVerdict& verdict) const {
    return proves(verdict, "if the others waited for it");
  }

  // Trials kill everything that has not ended by then.
  bool reportsAllKilled(const JobVerdict& verdict) const {
    return verdict.kind == VerdictKind::kProcessFailed &&
           verdict.culprits.empty() &&
           (trial_.program.variation.killed_at_percent > 0 ||
            trial_.history.hung);
  }

  void checkHealthy(const JobVerdict& verdict) {
    if (verdict.kind == VerdictKind::kUndecided && !trial_.isWhole()) return;
    if (reportsAllKilled(verdict)) return;
    // A rank that runs ahead of ranks that it need not wait for is never the
    // last.
    if (reportsWaits(verdict)) return;
    report("finding in a healthy run", verdict);
  }

  void checkFinding(const JobVerdict& verdict) {
    if (!isTrue(verdict)) report("false certain finding", verdict);
  }

  bool isTrue(const JobVerdict& verdict) const {
    if (isMismatch(verdict.kind)) return mismatchIsTrue(verdict);
    const History& history = trial_.history;
    switch (verdict.kind) {
      case VerdictKind::kNeverJoined:
      case VerdictKind::kLeftEarly:
        return neverJoinedIsTrue(verdict);
      case VerdictKind::kHungIn:
        return history.hung &&
               (hungInIsTrue(verdict) || mayWaitForAnother(verdict));
      case VerdictKind::kDeadlock:
        return history.hung;
      case VerdictKind::kFailed:
        return anyFailed();
      case VerdictKind::kProcessFailed:
        return reportsAllKilled(verdict) ||
               std::any_of(verdict.ranks.begin(), verdict.ranks.end(),
                           [&](std::uint32_t rank) {
                             return history.ranks[rank].ending !=
                                    Ending::kInOrder;
                           });
      case VerdictKind::kLate:
        return lateIsTrue(verdict);
      case VerdictKind::kP2pUnpaired:
        return history.hung || anyFailed() || countsDiffer(verdict);
      case VerdictKind::kSharedGroupName:
        return sharesNames(trial_.program);
      case VerdictKind::kEndedUnjoined:
        return endedUnjoinedIsTrue(verdict);
      case VerdictKind::kBufferOverlap:
      case VerdictKind::kNeverWaited:
        return false;
      default:
        return true;
    }
  }

  // Returns whether some rank's call truly differs in what the verdict names.
  bool mismatchIsTrue(const JobVerdict& verdict) const {
    const FaultKind fault = trial_.program.fault.kind;
    if (verdict.kind == VerdictKind::kOrderMismatch &&
        fault != FaultKind::kSwap) {
      return false;
    }
    if (verdict.pair) return messagesDiffer(*verdict.pair);
    const auto group = trial_.groupOf(diagnosis_.job, verdict.group);
    if (!group) return false;
    // Lost records prove no agreement.
    if (reportsEarlierAgreement(verdict) &&
        !trial_.program.variation.lost_chunk &&
        !agreedBefore(verdict, *group)) {
      return false;
    }
    if (verdict.kind == VerdictKind::kSplitMismatch) {
      return splitsDiffer(*group, verdict.seq);
    }
    const Happened* first = nullptr;
    for (const std::uint32_t rank : trial_.history.groups[*group].members) {
      const Happened* op = trial_.collective(rank, *group, verdict.seq);
      if (!op) continue;
      if (!first) first = op;
      if (!op->call.agreesWith(first->call)) return true;
    }
    return false;
  }

  static std::int64_t part(const Called& call,
                           const std::vector<std::int64_t>& splits,
                           std::size_t other) {
    return other < splits.size() ? splits[other]
                                 : static_cast<std::int64_t>(call.elements);
  }

  // Returns whether one rank sends a size that the receiver does not expect.
  bool splitsDiffer(std::uint32_t group, std::uint64_t seq) const {
    const Ranks& members = trial_.history.groups[group].members;
    for (std::size_t i = 0; i < members.size(); ++i) {
      for (std::size_t j = 0; j < members.size(); ++j) {
        const Happened* from = trial_.collective(members[i], group, seq);
        const Happened* to = trial_.collective(members[j], group, seq);
        if (from && to &&
            part(from->call, from->call.split_in, j) !=
                part(to->call, to->call.split_out, i)) {
          return true;
        }
      }
    }
    return false;
  }

  bool reportsEarlierAgreement(const JobVerdict& verdict) const {
    return proves(verdict, "Before that they agree");
  }

  bool agreedBefore(const JobVerdict& verdict, std::uint32_t group) const {
    for (std::uint64_t seq = 1; seq < verdict.seq; ++seq) {
      const Happened* first = nullptr;
      for (const std::uint32_t rank : verdict.ranks) {
        const Happened* op = trial_.collective(rank, group, seq);
        if (!op) continue;
        if (!first) first = op;
        if (!op->call.agreesWith(first->call)) return false;
      }
    }
    return true;
  }

  bool messagesDiffer(std::pair<std::uint32_t, std::uint32_t> pair) const {
    const FaultKind fault = trial_.program.fault.kind;
    const std::uint32_t rank = trial_.program.fault.rank;
    const bool concerns = pair.first == rank || pair.second == rank;
    return concerns &&
           (fault == FaultKind::kSkip || fault == FaultKind::kSwap ||
            fault == FaultKind::kLostSend || fault == FaultKind::kStrayRecv);
  }

  bool neverJoinedIsTrue(const JobVerdict& verdict) const {
    const auto group = trial_.groupOf(diagnosis_.job, verdict.group);
    if (!group) return false;
    if (verdict.pair) return true;
    std::size_t called = 0;
    const Ranks& members = trial_.history.groups[*group].members;
    for (const std::uint32_t rank : members) {
      const Happened* op = trial_.collective(rank, *group, verdict.seq);
      if (op && op->issued <= trial_.cut_at) ++called;
    }
    const bool left_inside = verdict.kind == VerdictKind::kLeftEarly;
    if (called == 0 || (called == members.size() && !left_inside)) return false;
    // Processes that are killed while they work are not accused.
    return trial_.history.hung || anyFailed() ||
           std::any_of(
               trial_.history.ranks.begin(), trial_.history.ranks.end(),
               [&](const auto& rank) { return rank.end <= trial_.cut_at; });
  }

  // Returns whether the numbers of sent and received messages between two ranks
  // differ.
  bool countsDiffer(const JobVerdict& verdict) const {
    const auto group = trial_.groupOf(diagnosis_.job, verdict.group);
    if (!group || !verdict.pair) return true;
    const auto& [from, to] = *verdict.pair;
    return count(from, to, *group, v1::OPERATION_SEND) !=
           count(to, from, *group, v1::OPERATION_RECV);
  }
  std::ptrdiff_t count(std::uint32_t rank, std::uint32_t peer,
                       std::uint32_t group, v1::Operation op) const {
    const auto& operations = trial_.history.ranks[rank].operations;
    const std::uint32_t place = trial_.history.groups[group].indexOf(peer);
    return std::count_if(
        operations.begin(), operations.end(), [&](const Happened& each) {
          return each.call.op == op && each.call.group == group &&
                 each.call.peer_plus_1 == place + 1;
        });
  }

  // Returns whether some rank was inside an operation long enough to count as
  // hanging.
  bool someoneHangs() const {
    for (const RankHistory& rank : trial_.history.ranks) {
      for (const Happened& op : rank.operations) {
        if (op.wait_began != kNever && op.ended == kNever &&
            rank.end - op.wait_began > 5'100 * kMs) {
          return true;
        }
      }
    }
    return false;
  }

  // The trace does not record which of several operations a thread waits for.
  bool mayWaitForAnother(const JobVerdict& verdict) const {
    return verdict.op == "reduce_scatter_tensor" &&
           !has(trial_.program.features, Feature::kSeveralWaits);
  }

  bool hungInIsTrue(const JobVerdict& verdict) const {
    const auto group = trial_.groupOf(diagnosis_.job, verdict.group);
    if (!group) return false;
    for (const std::uint32_t rank : trial_.history.groups[*group].members) {
      if (!trial_.collective(rank, *group, verdict.seq)) return false;
    }
    return std::all_of(verdict.culprits.begin(), verdict.culprits.end(),
                       [&](std::uint32_t rank) {
                         const Happened* op =
                             trial_.collective(rank, *group, verdict.seq);
                         return op && op->ended == kNever;
                       });
  }

  bool anyFailed() const {
    for (const RankHistory& rank : trial_.history.ranks) {
      for (const Happened& op : rank.operations) {
        if (op.failed && !op.cut_off) return true;
      }
    }
    return false;
  }

  // Returns whether the operation delayed the others for most of the lateness
  // threshold.
  bool lateIsTrue(const JobVerdict& verdict) const {
    const auto group = trial_.groupOf(diagnosis_.job, verdict.group);
    if (!group) return false;
    std::int64_t first = kNever;
    std::int64_t last = 0;
    for (const std::uint32_t rank : trial_.history.groups[*group].members) {
      const Happened* op = trial_.collective(rank, *group, verdict.seq);
      if (op) first = std::min(first, op->issued);
      if (op && isCulprit(verdict, rank)) last = std::max(last, op->ready);
    }
    return last - first > 900'000'000;
  }

  static bool isCulprit(const JobVerdict& verdict, std::uint32_t rank) {
    return std::binary_search(verdict.culprits.begin(), verdict.culprits.end(),
                              rank);
  }

  // Certain culprits require that a rank's own calls show the fault, which no
  // program here does.
  void checkCulprit(const JobVerdict& verdict) {
    report("false certain culprit", verdict);
  }

  // Checks that the end of a hanging job is not reported as its cause. A kill
  // during work is one.
  void checkEnds(const JobVerdict& verdict) {
    const Program& program = trial_.program;
    const History& history = trial_.history;
    // Across clocks and in crossed groups, the order of events is unknown.
    if (!trial_.isWhole() || program.hosts() > 1 || program.own_groups) return;
    const bool is_about_end = verdict.kind == VerdictKind::kProcessFailed ||
                              verdict.kind == VerdictKind::kLeftEarly ||
                              verdict.kind == VerdictKind::kFailed;
    const auto was_cut_off = [&](std::uint32_t rank) {
      return history.ranks[rank].end == history.end;
    };
    if (is_about_end && history.hung && !anyFailed() && someoneHangs() &&
        !verdict.culprits.empty() &&
        std::all_of(verdict.ranks.begin(), verdict.ranks.end(), was_cut_off)) {
      report("the end of a hang is reported as its cause", verdict);
    }
    const bool is_of_dead = verdict.kind == VerdictKind::kNeverJoined ||
                            verdict.kind == VerdictKind::kLeftEarly;
    if (is_of_dead && !verdict.pair && program.fault.kind == FaultKind::kDead &&
        program.fault.cut_off != CutOff::kKilled &&
        verdict.culprits == Ranks{program.fault.rank} &&
        !contains(verdict, "killed by SIGKILL")) {
      report("a kill that was seen is not reported", verdict);
    }
  }

  // Returns whether the program repeats one collective that ends on no rank
  // before all have joined, on one clock.
  bool isSimple() const {
    const Program& program = trial_.program;
    return trial_.isWhole() && program.hosts() == 1 &&
           program.items.size() == 1 && program.steps >= 16 &&
           program.items[0].op == v1::OPERATION_ALL_REDUCE &&
           program.items[0].kind == ItemKind::kCollective &&
           program.items[0].role == 0;
  }

  // Checks the findings that such a program must produce.
  void checkReported() {
    const Program& program = trial_.program;
    switch (program.fault.kind) {
      case FaultKind::kLateInTurn:
        return checkInTurn();
      case FaultKind::kStragglers:
        if (program.world >= 4 && !blames(VerdictKind::kStraggler, planted())) {
          lies_.push_back(
              {"equal stragglers are not reported together", text()});
        }
        return;
      case FaultKind::kSwallowed:
        if (!reports(VerdictKind::kProcessFailed, "ValueError: unsupported") ||
            !reports(VerdictKind::kFailed, "failed on")) {
          lies_.push_back({"what ended a program is not reported", text()});
        }
        return;
      case FaultKind::kTimedOut:
        if (!reports(VerdictKind::kFailed, " 6.0") ||
            !blames(VerdictKind::kFailed, planted()) ||
            reports(VerdictKind::kLate, "")) {
          lies_.push_back(
              {"a rank that joined after a timeout is not reported", text()});
        }
        return;
      default:
        return;
    }
  }

  // Checks the number of times and the maximum duration.
  void checkInTurn() {
    const Program& program = trial_.program;
    const std::uint32_t times = (program.steps + 2) / 4;
    const std::string often = std::to_string(times) + " times";
    const double most_s =
        1.02 * times * static_cast<double>(program.fault.ns) / 1e9;
    for (const JobVerdict& verdict : diagnosis_.verdicts) {
      const std::string text = summary(verdict);
      const std::size_t at = text.find(often);
      double seconds = 0;
      if (verdict.kind == VerdictKind::kLate && at != std::string::npos &&
          verdict.culprits == planted() &&
          std::sscanf(text.c_str() + at, "%*d times%*[^:]: %lf s", &seconds) ==
              1 &&
          seconds <= most_s && seconds >= 0.9 * most_s) {
        return;
      }
    }
    lies_.push_back({"ranks late in turn are not reported", text()});
  }

  Ranks planted() const {
    Ranks ranks = plantedRanks(trial_.program, unroll(trial_.program));
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    return ranks;
  }
  bool blames(VerdictKind kind, const Ranks& culprits) const {
    return std::any_of(diagnosis_.verdicts.begin(), diagnosis_.verdicts.end(),
                       [&](const JobVerdict& each) {
                         return each.kind == kind && each.culprits == culprits;
                       });
  }
  bool reports(VerdictKind kind, const std::string& part) const {
    return std::any_of(diagnosis_.verdicts.begin(), diagnosis_.verdicts.end(),
                       [&](const JobVerdict& each) {
                         return each.kind == kind && contains(each, part);
                       });
  }
  std::string text() const {
    std::string text;
    for (const JobVerdict& verdict : diagnosis_.verdicts) {
      text += std::string(nameOf(verdict.kind)) + ": " + summary(verdict) + " ";
    }
    return text;
  }

  // Checks timing verdicts. They rest on statistics and are never certain, but
  // must name the faulty rank.
  void checkTiming(const JobVerdict& verdict) {
    if (verdict.kind != VerdictKind::kStraggler &&
        verdict.kind != VerdictKind::kLate &&
        verdict.kind != VerdictKind::kSlowPeer) {
      return;
    }
    if (trial_.program.hosts() > 1 &&
        anyClockStepped(trial_.program, trial_.history.end)) {
      return;
    }
    // After a mismatch, the order no longer follows c10d, even if no rank meets
    // another operation.
    const FaultKind fault = trial_.program.fault.kind;
    if (trial_.history.out_of_step || fault == FaultKind::kExtra ||
        fault == FaultKind::kSkip || reportsWaits(verdict)) {
      return;
    }
    const bool several = trial_.program.fault.kind == FaultKind::kStragglers ||
                         trial_.program.fault.kind == FaultKind::kLateInTurn;
    if (several &&
        !std::all_of(verdict.culprits.begin(), verdict.culprits.end(),
                     [&](std::uint32_t rank) { return isPlanted(rank); })) {
      report("names one who was not late", verdict);
    }
    if (std::none_of(verdict.culprits.begin(), verdict.culprits.end(),
                     [&](std::uint32_t rank) { return isPlanted(rank); })) {
      report("names another", verdict);
    } else if (verdict.kind == VerdictKind::kStraggler &&
               trial_.program.fault.kind == FaultKind::kStraggler) {
      checkShare(verdict);
    }
  }

  // Returns whether the fault is in a collective of all ranks, after the first,
  // that ends on no rank before all have joined.
  bool isLateForSure() const {
    const Program& program = trial_.program;
    const Fault& fault = program.fault;
    if (fault.kind != FaultKind::kLate || !trial_.isWhole()) return false;
    return program.items.size() == 1 && fault.step > 0 && program.steps >= 16 &&
           program.items[0].op == v1::OPERATION_ALL_REDUCE &&
           program.items[0].kind == ItemKind::kCollective &&
           program.items[0].role == 0 && program.hosts() == 1;
  }

  bool reportsLate() const {
    return std::any_of(
        diagnosis_.verdicts.begin(), diagnosis_.verdicts.end(),
        [](const auto& each) { return each.kind == VerdictKind::kLate; });
  }

  bool isPlanted(std::uint32_t rank) const {
    const Ranks planted = plantedRanks(trial_.program, unroll(trial_.program));
    return std::find(planted.begin(), planted.end(), rank) != planted.end();
  }

  // Checks the share of the whole run. The share of a part of it may be
  // somewhat larger.
  void checkShare(const JobVerdict& verdict) {
    const Program& program = trial_.program;
    const double late_ns = static_cast<double>(program.fault.ns) *
                           static_cast<double>(program.steps);
    const double percent =
        100 * late_ns / static_cast<double>(trial_.history.end);
    for (const std::string& line : evidence(verdict)) {
      int share = 0;
      if (std::sscanf(line.c_str(), "This is %d %%", &share) == 1 &&
          (share > 100 || share > 1.3 * percent + 5)) {
        report("part of the time", verdict);
      }
    }
  }

  const Trial& trial_;
  const Diagnosis& diagnosis_;
  const Contents contents_;
  Lies& lies_;
};

}  // namespace

void checkVerdicts(const Trial& trial, const Diagnosis& diagnosis, Lies& lies) {
  VerdictCheck(trial, diagnosis, lies).check();
}

}  // namespace traced::truth
