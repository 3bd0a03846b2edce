#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <variant>

#include "analysis/diagnosis/values/equal_data.h"
#include "analysis/diagnosis/values/examined_parts.h"
#include "analysis/diagnosis/values/value_rules.h"
#include "analysis/stream/names.h"

namespace traced {
namespace {

// Further verdicts are dropped: the first ones are nearest to the cause.
constexpr std::size_t kMaxTransferVerdicts = 100;

OperationSubject subjectOf(const PartDifference& difference) {
  OperationSubject subject;
  subject.op = nameOf(static_cast<v1::Operation>(difference.op));
  subject.group = difference.operation.group;
  subject.seq = difference.seq;
  if (isPointToPoint(difference.op)) {
    subject.pair.emplace(difference.operation.source,
                         difference.operation.destination);
  }
  return subject;
}

// Completes the verdict about a part whose sent content is known.
void compareWithSent(const PartDifference& difference, JobVerdict& verdict) {
  TransferDiffers fact{
      subjectOf(difference), *difference.sender, difference.bytes, {}, {}};
  for (const Holders& each : difference.holders) {
    Ranks& side = each.hash == *difference.sent ? fact.right : fact.wrong;
    const Ranks ranks = each.ranks();
    side.insert(side.end(), ranks.begin(), ranks.end());
  }
  std::sort(fact.right.begin(), fact.right.end());
  std::sort(fact.wrong.begin(), fact.wrong.end());
  // If more of the others got the data intact, it left the sender intact.
  const std::size_t others =
      fact.right.size() -
      static_cast<std::size_t>(
          std::count(fact.right.begin(), fact.right.end(), fact.sender));
  verdict.culprits = fact.wrong;
  verdict.culprit =
      others > fact.wrong.size() ? Confidence::kLikely : Confidence::kUndecided;
  if (verdict.culprit == Confidence::kUndecided) {
    verdict.culprits.push_back(*difference.sender);
    std::sort(verdict.culprits.begin(), verdict.culprits.end());
    verdict.culprits.erase(
        std::unique(verdict.culprits.begin(), verdict.culprits.end()),
        verdict.culprits.end());
  }
  verdict.ranks = verdict.culprits;
  verdict.summary = {std::move(fact)};
}

// Returns whether some result of a reduction is not the sum of the inputs.
bool isNoSum(const PartDifference& difference) {
  return std::any_of(difference.holders.begin(), difference.holders.end(),
                     [](const Holders& each) { return each.adds_up == false; });
}

// Completes the verdict about a result that is not the sum of the inputs.
void compareWithSum(const JobState& job, const PartDifference& difference,
                    JobVerdict& verdict) {
  SumDiffers fact{subjectOf(difference), difference.bytes, {}, {}};
  for (const Holders& each : difference.holders) {
    if (!each.adds_up) continue;
    Ranks& side = *each.adds_up ? fact.right : fact.wrong;
    const Ranks ranks = each.ranks();
    side.insert(side.end(), ranks.begin(), ranks.end());
  }
  std::sort(fact.right.begin(), fact.right.end());
  std::sort(fact.wrong.begin(), fact.wrong.end());
  verdict.culprit = Confidence::kLikely;
  verdict.culprits = fact.wrong;
  if (fact.right.empty()) {
    // The input of any member may have been lost.
    verdict.culprit = Confidence::kUndecided;
    verdict.culprits.clear();
    job.catalog.groups()[difference.operation.group].members.forEach(
        [&](std::uint32_t rank) { verdict.culprits.push_back(rank); });
    std::sort(verdict.culprits.begin(), verdict.culprits.end());
  }
  verdict.ranks = verdict.culprits;
  verdict.summary = {std::move(fact)};
}

JobVerdict transferVerdict(const JobState& job,
                           const PartDifference& difference) {
  JobVerdict verdict;
  const OperationSubject subject = subjectOf(difference);
  verdict.group = subject.group;
  verdict.pair = subject.pair;
  verdict.seq = subject.seq;
  verdict.op = subject.op;
  verdict.finding =
      difference.is_sure ? Confidence::kCertain : Confidence::kLikely;
  if (difference.changed) {
    // If others got something else than was sent, it was still in use.
    const bool spread =
        std::any_of(difference.holders.begin(), difference.holders.end(),
                    [&](const Holders& each) {
                      return difference.sent ? each.hash != *difference.sent
                                             : each.adds_up == false;
                    });
    verdict.finding = spread ? Confidence::kCertain : Confidence::kLikely;
    verdict.kind = VerdictKind::kBufferChanged;
    verdict.culprit = Confidence::kLikely;
    verdict.ranks = verdict.culprits = difference.changed_by;
    verdict.summary = {
        InputChanged{subject, difference.changed_by, difference.bytes}};
    verdict.advice.push_back(PlainFact::kAskWaitBeforeChange);
    return verdict;
  }
  verdict.kind = VerdictKind::kCorruptedTransfer;
  if (!difference.is_sure) {
    verdict.reasons.push_back(PlainFact::kMayHaveWritten);
  }
  if (difference.sender && difference.sent) {
    compareWithSent(difference, verdict);
  } else if (!difference.sender && isNoSum(difference)) {
    compareWithSum(job, difference, verdict);
  } else {
    const std::vector<Ranks> equal = equalRanks(difference.holders);
    blameMinority(equal, verdict);
    if (difference.sender) {
      verdict.summary = {ReceiversDiffer{subject, *difference.sender,
                                         difference.bytes, equal}};
    } else {
      verdict.summary = {ResultsDiffer{subject, difference.bytes, equal}};
      // Some algorithms of device engines compute the result on each rank.
      const JobGroup& group = job.catalog.groups()[verdict.group];
      if (!group.engine().on_host) verdict.finding = Confidence::kLikely;
    }
  }
  verdict.advice.push_back(PlainFact::kAskWhatChangedData);
  return verdict;
}

// Returns the ranks by which verdicts are combined.
Ranks wrongRanks(const JobVerdict& verdict) {
  const auto* fact = std::get_if<ValueFact>(&verdict.summary.front());
  const auto* sum = fact ? std::get_if<SumDiffers>(fact) : nullptr;
  return sum ? sum->wrong : verdict.ranks;
}

// Combines verdicts of one kind about the same ranks of one group.
struct Repeated {
  JobVerdict first;
  std::uint64_t operations = 0;
  std::uint64_t last_seq = 0;
};

class TransferRule : public ValueRule {
 public:
  explicit TransferRule(const JobState& job) : job_(job), parts_(job.catalog) {}

  void add(const ExaminedStream& stream) override { parts_.add(stream); }
  std::vector<JobVerdict> verdicts() override {
    using Key = std::tuple<VerdictKind, std::uint32_t, Ranks>;
    std::map<Key, std::size_t> known;
    std::vector<Repeated> all;
    for (const PartDifference& difference : parts_.differences()) {
      JobVerdict verdict = transferVerdict(job_, difference);
      const auto [place, is_new] = known.try_emplace(
          Key(verdict.kind, verdict.group, wrongRanks(verdict)), all.size());
      if (is_new) all.push_back({std::move(verdict), 0, 0});
      Repeated& same = all[place->second];
      if (same.last_seq != difference.seq) ++same.operations;
      same.last_seq = difference.seq;
    }
    std::vector<JobVerdict> found;
    for (Repeated& each : all) {
      if (found.size() == kMaxTransferVerdicts) break;
      if (each.operations > 1) {
        each.first.reasons.push_back(SoOften{each.operations, each.last_seq});
      }
      found.push_back(std::move(each.first));
    }
    return found;
  }

 private:
  const JobState& job_;
  ExaminedParts parts_;
};

}  // namespace

std::unique_ptr<ValueRule> transferRule(const JobState& job) {
  return std::make_unique<TransferRule>(job);
}

}  // namespace traced
