#include "analysis/budget/usage.h"

#include <algorithm>

#include "analysis/job/group_catalog.h"
#include "analysis/match/match.h"
#include "trace_io/call_text.h"

namespace traced {
namespace {

constexpr char kNone[] = "none";

std::string orNone(std::string text) {
  return text == "-" ? kNone : std::move(text);
}

UsageKey keyOf(const StreamTable& table, const AssembledOperation& op) {
  const v1::Call* call = table.callOf(op);
  UsageKey key{kNone, operationName(table, op), kNone};
  if (!call) return key;
  key.dtype = orNone(dtypeText(*call));
  const std::uint32_t group = table.groupOf(*call);
  if (group != StreamDefinitions::kNone) {
    key.group = givenLabel(table.definitions.groups()[group]);
  }
  return key;
}

// Sorts by step and merges equal steps. Rows from several threads or chunks may
// be out of order.
void sortAndJoin(std::vector<StepUsage>& steps) {
  const auto before = [](const StepUsage& a, const StepUsage& b) {
    return a.step < b.step;
  };
  if (std::is_sorted(steps.begin(), steps.end(), before)) return;
  std::stable_sort(steps.begin(), steps.end(), before);
  std::vector<StepUsage> joined;
  for (const StepUsage& usage : steps) {
    if (!joined.empty() && joined.back().step == usage.step) {
      joined.back().usage.add(usage.usage);
    } else {
      joined.push_back(usage);
    }
  }
  steps = std::move(joined);
}

}  // namespace

RankUsage::RankUsage(const StreamTable& table)
    : rank_(table.header.rank()), steps_(table.marks.steps()) {
  constexpr std::uint32_t kUnknown = ~std::uint32_t{0};
  absl::flat_hash_map<UsageKey, std::uint32_t> index_by_key;
  // Index of the entry per call. The last one is for operations whose call is
  // unknown.
  std::vector<std::uint32_t> indices(table.definitions.calls().size() + 1,
                                     kUnknown);
  for (const AssembledOperation& op : table.operations) {
    const v1::Call* call = table.callOf(op);
    if (call && call->simulated()) continue;
    std::uint32_t& index = call ? indices[op.call] : indices.back();
    if (index == kUnknown) {
      const auto next = static_cast<std::uint32_t>(entries_.size());
      const auto [place, is_new] =
          index_by_key.try_emplace(keyOf(table, op), next);
      if (is_new) entries_.push_back({place->first, {}});
      index = place->second;
    }
    std::vector<StepUsage>& steps = entries_[index].steps;
    const auto step = table.marks.indexOf(op.id);
    if (steps.empty() || steps.back().step != step) {
      steps.push_back({step, {}});
    }
    steps.back().usage.add(
        {1, call ? std::max(call->bytes_in(), call->bytes_out()) : 0});
  }
  for (Entry& entry : entries_) sortAndJoin(entry.steps);
}

std::optional<std::uint64_t> RankUsage::numberOf(const StepUsage& usage) const {
  if (!usage.step) return std::nullopt;
  return steps_[*usage.step].number;
}

std::uint64_t RankUsage::stepsIn(const StepRange& range) const {
  return static_cast<std::uint64_t>(std::count_if(
      steps_.begin(), steps_.end(),
      [&](const Marks::Step& step) { return range.holds(step.number); }));
}

}  // namespace traced
