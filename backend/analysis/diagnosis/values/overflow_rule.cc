#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "analysis/diagnosis/values/compared_inputs.h"
#include "analysis/diagnosis/values/magnitudes.h"
#include "analysis/diagnosis/values/tensor_types.h"
#include "analysis/diagnosis/values/value_rules.h"
#include "analysis/job/matched_calls.h"
#include "analysis/stream/names.h"

namespace traced {
namespace {

// The operation of a stream as other ranks know it.
ReductionAt placeOf(const ExaminedStream& stream,
                    const AssembledOperation& op) {
  const StreamTable& table = stream.table();
  const v1::Call& call = *table.callOf(op);
  ReductionAt at;
  at.op = call.op();
  at.seq = op.seq;
  at.key.group = stream.operations().groups()[table.groupOf(call)];
  if (!isPointToPoint(call.op())) return at;
  const MessageEnds ends =
      messageEndsOf(at.key.group, table.header.rank(),
                    call.peer_global_plus_1() - 1, call.op());
  at.key.source = ends.source;
  at.key.destination = ends.destination;
  return at;
}

// A verdict without its summary.
JobVerdict about(const ReductionAt& at, Ranks ranks) {
  JobVerdict verdict;
  verdict.kind = VerdictKind::kOverflowRisk;
  verdict.finding = Confidence::kLikely;
  verdict.culprit = Confidence::kUndecided;
  verdict.group = at.key.group;
  verdict.op = nameOf(at.op);
  verdict.seq = at.seq;
  if (isPointToPoint(at.op)) {
    verdict.pair.emplace(at.key.source, at.key.destination);
  }
  verdict.ranks = verdict.culprits = std::move(ranks);
  verdict.advice.push_back(PlainFact::kAskMagnitudes);
  return verdict;
}

class OverflowRule : public ValueRule {
 public:
  explicit OverflowRule(const JobState& job)
      : job_(job), inputs_(job.catalog) {}

  void add(const ExaminedStream& stream) override {
    inputs_.add(stream);
    const StreamTable& table = stream.table();
    const auto known = [&](const AssembledOperation& op) {
      const std::vector<std::uint32_t>& groups = stream.operations().groups();
      const std::uint32_t group = table.groupOf(*table.callOf(op));
      return group < groups.size() && groups[group] < job_.groups.size();
    };
    const Magnitudes found = magnitudesOf(stream);
    for (const GrowingInputs& each : found.growing) {
      if (!known(*each.largest)) continue;
      addGrowing(placeOf(stream, *each.largest), table.header.rank(), each);
    }
    for (const SaturatedInputs& each : found.saturated) {
      if (!known(*each.last)) continue;
      addSaturated(placeOf(stream, *each.last), table.header.rank(), each);
    }
  }

  std::vector<JobVerdict> verdicts() override {
    std::vector<JobVerdict> found;
    for (const OverflowedSums& each : inputs_.overflowedSums()) {
      JobVerdict verdict = about(each.first, {});
      if (each.is_sure) {
        verdict.finding = Confidence::kCertain;
      } else {
        verdict.reasons.push_back(PlainFact::kMayHaveWritten);
      }
      verdict.summary = {SumOverflows{verdict.subject(), nameOf(each.dtype),
                                      each.operations, each.last_seq}};
      found.push_back(std::move(verdict));
    }
    for (const UnevenNorms& each : inputs_.unevenNorms()) {
      JobVerdict verdict = about(each.first, {each.rank});
      verdict.culprit = Confidence::kLikely;
      verdict.summary = {NormStandsOut{verdict.subject(), each.rank, each.norm,
                                       each.next_norm}};
      verdict.reasons.push_back(SoOften{each.operations, each.last_seq});
      found.push_back(std::move(verdict));
    }
    addVerdicts(growing_, found);
    addVerdicts(saturated_, found);
    return found;
  }

 private:
  // Group, operation and type: one verdict for all ranks and tensors.
  using Key = std::tuple<std::uint32_t, v1::Operation, v1::DType>;

  void addGrowing(const ReductionAt& at, std::uint32_t rank,
                  const GrowingInputs& each) {
    auto& [place, fact] = growing_[Key(at.key.group, at.op, each.dtype)];
    if (fact.ranks.empty() || each.last_maximum > fact.last_maximum) {
      place = at;
      fact.dtype = nameOf(each.dtype);
      fact.first_maximum = each.first_maximum;
      fact.last_maximum = each.last_maximum;
      fact.largest = largestOf(each.dtype);
    }
    addRank(rank, fact.ranks);
  }
  void addSaturated(const ReductionAt& at, std::uint32_t rank,
                    const SaturatedInputs& each) {
    auto& [place, fact] = saturated_[Key(at.key.group, at.op, each.dtype)];
    place = at;
    fact.dtype = nameOf(each.dtype);
    fact.largest = largestOf(each.dtype);
    fact.saturated += each.saturated;
    fact.elements += each.elements;
    addRank(rank, fact.ranks);
  }
  template <typename FactsByKey>
  static void addVerdicts(FactsByKey& facts, std::vector<JobVerdict>& found) {
    for (auto& [key, each] : facts) {
      auto& [place, fact] = each;
      JobVerdict verdict = about(place, fact.ranks);
      fact.operation = verdict.subject();
      verdict.summary = {std::move(fact)};
      found.push_back(std::move(verdict));
    }
  }
  static void addRank(std::uint32_t rank, Ranks& ranks) {
    if (ranks.empty() || ranks.back() != rank) ranks.push_back(rank);
  }

  const JobState& job_;
  ComparedInputs inputs_;
  std::map<Key, std::pair<ReductionAt, GrowsTowardsLimit>> growing_;
  std::map<Key, std::pair<ReductionAt, Saturates>> saturated_;
};

}  // namespace

std::unique_ptr<ValueRule> overflowRule(const JobState& job) {
  return std::make_unique<OverflowRule>(job);
}

}  // namespace traced
