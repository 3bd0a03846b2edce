#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/diagnosis/values/nan_origins.h"
#include "analysis/diagnosis/values/value_rules.h"
#include "analysis/stream/clock_cursor.h"
#include "analysis/stream/names.h"

namespace traced {
namespace {

constexpr std::size_t kMaxNanVerdicts = 8;

// Ranks whose NaN began in the same operation.
struct Origins {
  std::vector<NanOrigin> of_ranks;
  std::int64_t issue_ns = 0;
};

JobVerdict nanVerdict(const Origins& origins) {
  const NanOrigin& first = origins.of_ranks.front();
  JobVerdict verdict;
  verdict.kind = VerdictKind::kNanOrigin;
  verdict.group = first.operation.group;
  if (isPointToPoint(static_cast<Operation>(first.op))) {
    verdict.pair.emplace(first.operation.source, first.operation.destination);
  }
  verdict.seq = first.seq;
  verdict.op = nameOf(first.op);
  verdict.since_ns = origins.issue_ns;
  NanEntered fact{verdict.subject(), {}, 0, 0};
  bool all_examined = true;
  for (const NanOrigin& origin : origins.of_ranks) {
    fact.ranks.push_back(origin.rank);
    fact.nan += origin.nan;
    fact.elements += origin.elements;
    all_examined &= origin.all_examined;
  }
  verdict.ranks = verdict.culprits = fact.ranks;
  verdict.summary = {std::move(fact)};
  verdict.finding = all_examined ? Confidence::kCertain : Confidence::kLikely;
  verdict.culprit = Confidence::kLikely;
  if (!all_examined) verdict.reasons.push_back(PlainFact::kNotAllExamined);
  verdict.reasons.push_back(PlainFact::kNoNanReceived);
  verdict.advice.push_back(PlainFact::kAskWhatMadeNan);
  return verdict;
}

class NanRule : public ValueRule {
 public:
  explicit NanRule(const JobState& job) : job_(job) {}

  void add(const ExaminedStream& stream) override {
    const auto origin = nanOrigin(stream);
    const RankState* state = job_.rank(stream.table().header.rank());
    if (!origin || !state) return;
    const OperationKey& key = origin->operation;
    Origins& origins =
        by_operation_[Key(key.group, key.source, key.destination, origin->seq)];
    const auto index = static_cast<std::size_t>(state - job_.ranks.data());
    const std::int64_t issue_ns =
        ClockCursor(job_.clocks[index]).commonNs(origin->issue_ns);
    origins.issue_ns = origins.of_ranks.empty()
                           ? issue_ns
                           : std::min(origins.issue_ns, issue_ns);
    origins.of_ranks.push_back(*origin);
  }

  std::vector<JobVerdict> verdicts() override {
    std::vector<JobVerdict> found;
    for (const auto& [key, origins] : by_operation_) {
      found.push_back(nanVerdict(origins));
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const JobVerdict& a, const JobVerdict& b) {
                       return *a.since_ns < *b.since_ns;
                     });
    if (found.size() > kMaxNanVerdicts) found.resize(kMaxNanVerdicts);
    return found;
  }

 private:
  using Key =
      std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint64_t>;

  const JobState& job_;
  std::map<Key, Origins> by_operation_;
};

}  // namespace

std::unique_ptr<ValueRule> nanRule(const JobState& job) {
  return std::make_unique<NanRule>(job);
}

}  // namespace traced
