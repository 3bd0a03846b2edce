#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "analysis/diagnosis/values/examined_parts.h"
#include "analysis/diagnosis/values/value_rules.h"

namespace traced {
namespace {

// Further tensors are not compared.
constexpr std::size_t kMaxReplicas = std::size_t{1} << 20;

// One tensor in one check.
struct ReplicaKey {
  std::uint64_t check = 0;
  std::uint32_t tensor = 0;
  std::string name;
  std::string ranks;

  auto operator<=>(const ReplicaKey&) const = default;
};
struct Copies {
  std::optional<std::int64_t> step;
  absl::InlinedVector<Holders, 1> holders;
  bool declared = true;
  // The ranks made the check in different steps, or of different sizes.
  bool is_unclear = false;
  std::uint64_t bytes = 0;

  void add(std::uint32_t rank, const ReplicaRow& row,
           std::optional<std::int64_t> at_step) {
    if (holders.empty()) {
      step = at_step;
      bytes = row.bytes;
    }
    is_unclear |= step != at_step || bytes != row.bytes;
    declared &= row.declared != 0;
    is_unclear |= !ExaminedParts::addHolder(row.hash, rank, holders);
  }
  bool differ() const { return holders.size() > 1 && !is_unclear; }
};

// Ordered by check, then by tensor.
using AllCopies = std::map<ReplicaKey, Copies>;

void addReplicas(const StreamTable& table, AllCopies& copies) {
  for (const ReplicaRow& row : table.replicas) {
    const std::string* name = table.definitions.text(row.name);
    const std::string* ranks = table.definitions.text(row.ranks);
    if (!name || !ranks || row.skipped != 0 || row.is_buffer != 0) continue;
    const ReplicaKey key{row.check, row.tensor, *name, *ranks};
    if (copies.size() >= kMaxReplicas && !copies.contains(key)) continue;
    copies[key].add(table.header.rank(), row, table.marks.stepOf(row.position));
  }
}

JobVerdict replicaVerdict(const ReplicaKey& key, const Copies& copies,
                          const TensorsDiffer& tensors) {
  JobVerdict verdict;
  verdict.kind = VerdictKind::kReplicasDiverged;
  verdict.finding = copies.declared && copies.step ? Confidence::kCertain
                                                   : Confidence::kLikely;
  const std::vector<Ranks> equal = equalRanks(copies.holders);
  blameMinority(equal, verdict);
  verdict.summary = {ReplicasDiffer{key.name, key.check, copies.step, equal}};
  verdict.reasons.push_back(tensors);
  if (!copies.declared) verdict.reasons.push_back(PlainFact::kCopiesAssumed);
  if (!copies.step) verdict.reasons.push_back(PlainFact::kStepsUnknown);
  verdict.advice.push_back(PlainFact::kAskSynchronisation);
  return verdict;
}

class ReplicasRule : public ValueRule {
 public:
  void add(const ExaminedStream& stream) override {
    addReplicas(stream.table(), copies_);
  }

  std::vector<JobVerdict> verdicts() override {
    const auto first =
        std::find_if(copies_.begin(), copies_.end(),
                     [](const auto& each) { return each.second.differ(); });
    if (first == copies_.end()) return {};
    TensorsDiffer tensors;
    for (auto same = copies_.lower_bound({first->first.check, 0, "", ""});
         same != copies_.end() && same->first.check == first->first.check;
         ++same) {
      ++tensors.of;
      tensors.tensors += same->second.differ() ? 1 : 0;
    }
    return {replicaVerdict(first->first, first->second, tensors)};
  }

 private:
  AllCopies copies_;
};

}  // namespace

std::unique_ptr<ValueRule> replicasRule(const JobState&) {
  return std::make_unique<ReplicasRule>();
}

}  // namespace traced
