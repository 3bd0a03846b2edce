#include "analysis/budget/structure.h"

#include <algorithm>
#include <limits>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analysis/figures/bandwidth.h"
#include "analysis/stream/batches.h"
#include "analysis/stream/names.h"
#include "analysis/stream/operation_kinds.h"
#include "analysis/stream/rank_list.h"
#include "trace_io/call_text.h"

namespace traced {
namespace {

// The attributes of an operation that its structure depends on.
struct Issued {
  const std::string* name = nullptr;
  bool async = false;
};

// Collects the structure of one group in one step.
class StepOfGroup {
 public:
  void issue(const std::string& name) {
    if (!order_.empty() && *order_.back().first == name) {
      ++order_.back().second;
    } else if (order_.size() <= kMaxOrdered) {
      order_.emplace_back(&name, 1);
    }
  }
  void underWay(std::uint64_t count) { together_ = std::max(together_, count); }
  void waitedAtOnce() { ++at_once_; }
  // Records that it is unknown whether or when an operation was waited for.
  void waitUnknown() { waits_known_ = false; }

  GroupStructure finish() const {
    GroupStructure structure;
    if (order_.size() <= kMaxOrdered) {
      structure.order.emplace();
      for (const auto& [name, count] : order_) {
        structure.order->push_back(absl::StrCat(count, " x ", *name));
      }
    }
    if (waits_known_) {
      structure.together = together_;
      structure.waited_at_once = at_once_;
    }
    return structure;
  }

 private:
  std::vector<std::pair<const std::string*, std::uint64_t>> order_;
  std::uint64_t together_ = 0;
  std::uint64_t at_once_ = 0;
  bool waits_known_ = true;
};

// Resets every field in which `structure` differs from `other`.
void keepCommon(GroupStructure& structure, const GroupStructure& other) {
  if (structure.order != other.order) structure.order.reset();
  if (structure.together != other.together) structure.together.reset();
  if (structure.waited_at_once != other.waited_at_once) {
    structure.waited_at_once.reset();
  }
}

// Walks over the operations of a rank in issue order.
class Walk {
 public:
  explicit Walk(const StreamTable& table)
      : table_(table),
        batches_(table),
        names_(table.definitions.calls().size()) {}

  std::map<std::string, GroupStructure> over(const StepRange& steps) {
    std::vector<const AssembledOperation*> operations;
    for (const AssembledOperation& op : table_.operations) {
      const v1::Call* call = table_.callOf(op);
      if (!call || call->simulated()) continue;
      if (batches_.of(op) && batches_.hasMember(op)) continue;
      operations.push_back(&op);
    }
    std::stable_sort(
        operations.begin(), operations.end(),
        [](const auto* a, const auto* b) { return a->id < b->id; });
    for (std::size_t i = 0; i < operations.size(); ++i) {
      const auto step = table_.marks.indexOf(operations[i]->id);
      if (!step || !steps.holds(table_.marks.stepOf(operations[i]->id))) {
        continue;
      }
      if (step != step_) endStep();
      step_ = step;
      add(operations, i);
    }
    endStep();
    std::uint64_t of_range = 0;
    for (const Marks::Step& step : table_.marks.steps()) {
      of_range += steps.holds(step.number);
    }
    // A group without a call in some step has no structure common to all steps.
    for (auto& [group, structure] : all_) {
      if (steps_of_[group] != of_range) structure = {};
    }
    return std::move(all_);
  }

 private:
  void add(const std::vector<const AssembledOperation*>& operations,
           std::size_t i) {
    const AssembledOperation& op = *operations[i];
    const v1::Call& call = *table_.callOf(op);
    const std::uint32_t local = table_.groupOf(call);
    if (local == StreamDefinitions::kNone) return;
    StepOfGroup& step = now_[givenLabel(table_.definitions.groups()[local])];
    step.issue(nameOf(op.call, call, local));
    if (waitsAtOnce(call)) return;
    if (!op.wait_began.known()) return step.waitUnknown();
    const bool next_known = i + 1 < operations.size();
    if (!next_known || !op.wait_began.isAfter(operations[i + 1]->issued)) {
      step.waitedAtOnce();
    }
    under_way_.push_back(op.wait_began.ns());
    std::erase_if(under_way_,
                  [&](std::int64_t ns) { return ns <= op.issued.ns(); });
    step.underWay(under_way_.size());
  }

  const std::string& nameOf(std::uint32_t index, const v1::Call& call,
                            std::uint32_t group) {
    std::string& name = names_[index];
    if (name.empty()) {
      const std::uint32_t members =
          table_.definitions.groups()[group].members.size();
      name = absl::StrCat(traced::nameOf(call.op()), " ", dtypeText(call), " ",
                          sizeBucket(messageBytes(call, members)));
    }
    return name;
  }

  void endStep() {
    for (const auto& [group, step] : now_) {
      const GroupStructure structure = step.finish();
      const auto [place, is_new] = all_.try_emplace(group, structure);
      if (!is_new) keepCommon(place->second, structure);
      ++steps_of_[group];
    }
    now_.clear();
    under_way_.clear();
  }

  const StreamTable& table_;
  const Batches batches_;
  std::vector<std::string> names_;
  std::optional<std::size_t> step_;
  std::map<std::string, StepOfGroup> now_;
  std::map<std::string, GroupStructure> all_;
  std::map<std::string, std::uint64_t> steps_of_;
  // Begins of the waits for the operations in flight, in ns.
  std::vector<std::int64_t> under_way_;
};

void addDifferences(const GroupStructure& wanted, const GroupStructure& found,
                    std::uint32_t rank,
                    std::vector<StructureDifference>& differences) {
  using What = StructureDifference::What;
  const auto hold = [&](const auto& own, const auto& other, What what) {
    if (own && own != other) differences.push_back({what, rank, found, {}});
  };
  hold(wanted.order, found.order, What::kOrder);
  hold(wanted.together, found.together, What::kTogether);
  hold(wanted.waited_at_once, found.waited_at_once, What::kWaitedAtOnce);
}

}  // namespace

std::map<std::string, GroupStructure> structureOf(const StreamTable& table,
                                                  const StepRange& steps) {
  return Walk(table).over(steps);
}

std::map<std::string, std::string> groupSplits(const GroupCatalog& groups) {
  std::map<std::string, std::map<std::uint32_t, std::size_t>> sizes;
  for (const JobGroup& group : groups.groups()) {
    ++sizes[givenLabel(group)][group.members.size()];
  }
  std::map<std::string, std::string> splits;
  for (const auto& [label, by_size] : sizes) {
    splits[label] =
        absl::StrJoin(by_size, ", ", [](std::string* out, const auto& size) {
          absl::StrAppend(out, size.second, " of ", size.first);
        });
  }
  return splits;
}

void StructureBuilder::add(const StreamTable& table) {
  ++world_size_;
  groups_.add(table.header.attempt(), table.definitions.groups());
  if (steps_.all()) return;
  for (const auto& own : structureOf(table, steps_)) {
    auto& known = by_group_[own.first];
    auto same = std::find_if(known.begin(), known.end(), [&](const auto& one) {
      return one.first == own.second;
    });
    if (same == known.end()) same = known.insert(known.end(), {own.second, {}});
    same->second.push_back(table.header.rank());
  }
}

std::vector<StructureRow> StructureBuilder::finish() const {
  std::vector<StructureRow> rows;
  const std::map<std::string, std::string> splits = groupSplits(groups_);
  for (const auto& [group, structures] : by_group_) {
    for (const auto& [structure, ranks] : structures) {
      StructureRow& row = rows.emplace_back();
      row.steps = steps_;
      row.group = group;
      row.groups = splits.at(group);
      row.structure = structure;
      if (ranks.size() == world_size_) continue;
      row.ranks.emplace(ranks.begin(), ranks.end());
      row.ranks_text = RankList::fromRanks(ranks).text(
          std::numeric_limits<std::size_t>::max());
    }
  }
  return rows;
}

void StructureCheck::add(const StreamTable& table) {
  // Report only the first ranks that differ, to keep the output short.
  constexpr std::size_t kMax = 8;
  groups_.add(table.header.attempt(), table.definitions.groups());
  std::map<std::string, std::map<std::string, GroupStructure>> by_steps;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const StructureRow& row = rows_[i];
    const std::uint32_t rank = table.header.rank();
    if (!row.hasRank(rank)) continue;
    auto [place, is_new] = by_steps.try_emplace(row.steps.text());
    if (is_new) place->second = structureOf(table, row.steps);
    if (results_[i].differences.size() >= kMax) continue;
    addDifferences(row.structure, place->second[row.group], rank,
                   results_[i].differences);
  }
}

std::vector<StructureResult> StructureCheck::finish() && {
  const std::map<std::string, std::string> splits = groupSplits(groups_);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (!rows_[i].groups) continue;
    const auto found = splits.find(rows_[i].group);
    std::optional<std::string> now;
    if (found != splits.end()) now = found->second;
    if (now.value_or("none") == *rows_[i].groups) continue;
    results_[i].differences.push_back(
        {StructureDifference::What::kGroups, 0, {}, std::move(now)});
  }
  return std::move(results_);
}

}  // namespace traced
