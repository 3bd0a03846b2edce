// Structure describes what a rank does in each step apart from amounts: the
// order of its calls on a group, how many are in flight together, and how many
// are waited for before the next call. It follows from the order of records
// alone, so two runs of one program have the same structure whatever their
// timing.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "analysis/figures/step_range.h"
#include "analysis/job/group_catalog.h"
#include "analysis/stream/stream_table.h"

namespace traced {

// The structure of a group on some ranks. A field is absent if it differs
// between steps or if waits were not recorded.
struct GroupStructure {
  // Runs of equal calls in order, such as "3 x all_reduce bfloat16 4-8 MiB".
  std::optional<std::vector<std::string>> order;
  // Maximum number of calls issued and not yet waited for.
  std::optional<std::uint64_t> together;
  // Number of asynchronous calls that the program waited for before the rank
  // issued another call.
  std::optional<std::uint64_t> waited_at_once;

  bool operator==(const GroupStructure&) const = default;
};

struct StructureRow {
  // Line number in the budget file, for messages.
  std::uint32_t line = 0;
  StepRange steps;
  // The group's label, as set by the program.
  std::string group;
  // For each size, how many groups have this label: "2 of 4".
  std::optional<std::string> groups;
  std::optional<absl::flat_hash_set<std::uint32_t>> ranks;
  std::string ranks_text = "all";
  GroupStructure structure;

  bool hasRank(std::uint32_t rank) const {
    return !ranks || ranks->contains(rank);
  }
};

// Maximum length of an order. Longer orders are absent.
inline constexpr std::size_t kMaxOrdered = 64;

// Returns the structure of each group of a rank in the given steps, by the
// group's label.
std::map<std::string, GroupStructure> structureOf(const StreamTable& table,
                                                  const StepRange& steps);

// Returns a text such as "2 of 4" (two groups of four members) for each label.
std::map<std::string, std::string> groupSplits(const GroupCatalog& groups);

// StructureBuilder derives the structure rows that a run exactly meets. Not
// thread safe.
class StructureBuilder {
 public:
  explicit StructureBuilder(StepRange steps) : steps_(steps) {}

  // Call once per rank.
  void add(const StreamTable& table);
  // Returns no rows if the run has no marked steps.
  std::vector<StructureRow> finish() const;

 private:
  const StepRange steps_;
  std::size_t world_size_ = 0;
  GroupCatalog groups_;
  std::map<std::string,
           std::vector<std::pair<GroupStructure, std::vector<std::uint32_t>>>>
      by_group_;
};

// How a rank deviates from a row. `kGroups` concerns all ranks.
struct StructureDifference {
  enum class What : std::uint8_t { kOrder, kTogether, kWaitedAtOnce, kGroups };

  What what = What::kOrder;
  std::uint32_t rank = 0;
  // The actual structure. `groups` is absent if no group has that label.
  GroupStructure found;
  std::optional<std::string> groups;
};

struct StructureResult {
  std::vector<StructureDifference> differences;
};

// StructureCheck compares the structure of each rank with the rows. Not thread
// safe. The rows must outlive the check.
class StructureCheck {
 public:
  explicit StructureCheck(const std::vector<StructureRow>& rows)
      : rows_(rows), results_(rows.size()) {}

  // Call once per rank.
  void add(const StreamTable& table);
  std::vector<StructureResult> finish() &&;

 private:
  const std::vector<StructureRow>& rows_;
  std::vector<StructureResult> results_;
  GroupCatalog groups_;
};

}  // namespace traced
