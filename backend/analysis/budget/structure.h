// Structure: what a rank does in each step, apart from how much: the order of
// its calls on a group, how many are under way together, and for how many of
// them the program waits before it issues another. All of it is told by the
// order of records: two runs of one program have the same, however long
// anything takes.

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

// What is told of a group, of some ranks. What is absent is not told: it
// differs between steps, or nobody saw the waits.
struct GroupStructure {
  // "3 x all_reduce bfloat16 4-8 MiB", one after the other.
  std::optional<std::vector<std::string>> order;
  // Calls that were issued and not yet waited for, at most.
  std::optional<std::uint64_t> together;
  // Calls that do not wait by themselves, and that were waited for before the
  // rank issued another.
  std::optional<std::uint64_t> waited_at_once;

  bool operator==(const GroupStructure&) const = default;
};

struct StructureRow {
  // Of the file, for messages.
  std::uint32_t line = 0;
  StepRange steps;
  // As people gave it.
  std::string group;
  // How many groups are called that and have how many members: "2 of 4".
  std::optional<std::string> groups;
  std::optional<absl::flat_hash_set<std::uint32_t>> ranks;
  std::string ranks_text = "all";
  GroupStructure structure;

  bool hasRank(std::uint32_t rank) const {
    return !ranks || ranks->contains(rank);
  }
};

// An order with more different calls than this is not told.
inline constexpr std::size_t kMaxOrdered = 64;

// The structure of each group of a rank, in the steps of a range.
std::map<std::string, GroupStructure> structureOf(const StreamTable& table,
                                                  const StepRange& steps);

// "2 of 4" for each name.
std::map<std::string, std::string> groupSplits(const GroupCatalog& groups);

// Makes the rows that a run meets. Not thread safe.
class StructureBuilder {
 public:
  explicit StructureBuilder(StepRange steps) : steps_(steps) {}

  void add(const StreamTable& table);
  // None of a run whose steps are not marked.
  std::vector<StructureRow> finish() const;

 private:
  const StepRange steps_;
  std::size_t world_size_ = 0;
  GroupCatalog groups_;
  std::map<std::string,
           std::vector<std::pair<GroupStructure, std::vector<std::uint32_t>>>>
      by_group_;
};

// What of a row a rank does otherwise, or of all ranks what groups there are.
struct StructureDifference {
  enum class What : std::uint8_t { kOrder, kTogether, kWaitedAtOnce, kGroups };

  What what = What::kOrder;
  std::uint32_t rank = 0;
  // What was found. `groups`: absent where none is called that.
  GroupStructure found;
  std::optional<std::string> groups;
};

struct StructureResult {
  std::vector<StructureDifference> differences;
};

// Not thread safe. The rows must outlive the check.
class StructureCheck {
 public:
  explicit StructureCheck(const std::vector<StructureRow>& rows)
      : rows_(rows), results_(rows.size()) {}

  void add(const StreamTable& table);
  std::vector<StructureResult> finish() &&;

 private:
  const std::vector<StructureRow>& rows_;
  std::vector<StructureResult> results_;
  GroupCatalog groups_;
};

}  // namespace traced
