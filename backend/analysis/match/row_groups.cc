#include "analysis/match/row_groups.h"

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"

namespace traced {
namespace {

// A stream, and the number of a batch in it.
using BatchKey = std::pair<std::uint32_t, std::uint64_t>;

const AssembledOperation& operationOf(const LoadedRun& run,
                                      const MatchCell& cell) {
  return run.streams[cell.stream].table.operations[cell.operation];
}

bool endsBatch(const LoadedRun& run, const MatchCell& cell) {
  const AssembledOperation& op = operationOf(run, cell);
  const v1::Call* call = run.streams[cell.stream].table.callOf(op);
  return op.batch > 0 && call && call->op() == v1::OPERATION_COALESCED;
}

// Marks all rows of a batch as incomplete if one is. A missing part may be the
// start of the batch. An incomplete row may also be mistaken for another one
// and belong to another batch.
void markIncompleteBatches(
    const LoadedRun& run,
    const absl::flat_hash_map<BatchKey, std::uint32_t>& rows,
    MatchTable& table) {
  absl::flat_hash_set<std::uint32_t> parted;
  for (const MatchRow& row : table.rows) {
    if (row.whole) continue;
    for (const MatchCell& cell : table.cellsOf(row)) {
      const auto found = rows.find({cell.stream, operationOf(run, cell).batch});
      if (found != rows.end()) parted.insert(table.rows[found->second].batch);
    }
  }
  for (MatchRow& row : table.rows) row.whole &= !parted.contains(row.batch);
}

// Renumbers the batches in order of their rows.
void renumber(MatchTable& table) {
  absl::flat_hash_map<std::uint32_t, std::uint32_t> numbers;
  for (MatchRow& row : table.rows) {
    if (row.batch == 0) continue;
    const auto next = static_cast<std::uint32_t>(numbers.size() + 1);
    row.batch = numbers.try_emplace(row.batch, next).first->second;
  }
}

}  // namespace

void linkBatches(const LoadedRun& run, MatchTable& table) {
  absl::flat_hash_map<BatchKey, std::uint32_t> rows;
  for (std::uint32_t i = 0; i < table.rows.size(); ++i) {
    MatchRow& row = table.rows[i];
    row.order_ns = row.first_issue_ns;
    for (const MatchCell& cell : table.cellsOf(row)) {
      if (!endsBatch(run, cell)) continue;
      row.batch = i + 1;
      row.ends_batch = true;
      rows.try_emplace({cell.stream, operationOf(run, cell).batch}, i);
    }
  }
  if (rows.empty()) return;
  for (MatchRow& row : table.rows) {
    const MatchCell& cell = table.cellsOf(row).front();
    const auto found =
        row.ends_batch ? rows.end()
                       : rows.find({cell.stream, operationOf(run, cell).batch});
    if (found == rows.end()) continue;
    MatchRow& batch = table.rows[found->second];
    row.batch = batch.batch;
    ++batch.members;
    batch.order_ns = std::min(batch.order_ns, row.first_issue_ns);
  }
  // A batch is placed at its first member's issue, followed by its members.
  for (MatchRow& row : table.rows) {
    if (row.batch > 0) row.order_ns = table.rows[row.batch - 1].order_ns;
  }
  markIncompleteBatches(run, rows, table);
}

void sortRows(MatchTable& table) {
  std::stable_sort(table.rows.begin(), table.rows.end(),
                   [](const MatchRow& a, const MatchRow& b) {
                     return std::tuple(a.order_ns, a.batch, !a.ends_batch,
                                       a.first_issue_ns) <
                            std::tuple(b.order_ns, b.batch, !b.ends_batch,
                                       b.first_issue_ns);
                   });
  renumber(table);
}

namespace {

// Role, number and operation.
using Key = std::tuple<std::string, std::uint64_t, std::string>;

// Returns the key of rows to combine. Absent if the row must remain separate.
std::optional<Key> keyOf(const LoadedRun& run, const MatchTable& table,
                         const MatchRow& row, const GroupRoles& roles) {
  if (row.group == GroupCatalog::kNone || row.pair || row.seq == 0 ||
      row.batch > 0 || !roles.isOfMany(row.group) ||
      row.cell_count != run.groups.groups()[row.group].members.size()) {
    return std::nullopt;
  }
  std::string name;
  for (const MatchCell& cell : table.cellsOf(row)) {
    const StreamTable& stream = run.streams[cell.stream].table;
    const AssembledOperation& op = stream.operations[cell.operation];
    const std::string own = operationName(stream, op);
    const v1::Context* place = stream.contextOf(op);
    const bool is_part = place && !place->parent().empty();
    if (op.failed || is_part || (!name.empty() && own != name)) {
      return std::nullopt;
    }
    name = own;
  }
  return Key{roles.label(row.group), row.seq, std::move(name)};
}

// WholeRoles checks whether all groups that may belong to a combined row are in
// memory.
class WholeRoles {
 public:
  WholeRoles(const GroupRoles& roles, const NotKept* not_kept)
      : not_kept_(not_kept) {
    for (const GroupRoles::Role& role : roles.many()) {
      groups_.emplace(role.label, &role.groups);
    }
  }

  bool hasAll(const Key& key) const {
    if (!not_kept_) return true;
    const auto& [label, seq, operation] = key;
    const std::vector<std::uint32_t>& groups = *groups_.at(label);
    return std::none_of(groups.begin(), groups.end(),
                        [&, number = seq](std::uint32_t group) {
                          return not_kept_->mayHaveCollective(group, number);
                        });
  }

 private:
  const NotKept* not_kept_;
  absl::flat_hash_map<std::string, const std::vector<std::uint32_t>*> groups_;
};

}  // namespace

MatchTable foldGroups(const LoadedRun& run, const MatchTable& table,
                      const GroupRoles& roles, const NotKept* not_kept) {
  const WholeRoles whole_roles(roles, not_kept);
  absl::flat_hash_map<Key, std::vector<const MatchRow*>> folded;
  std::vector<std::optional<Key>> keys;
  for (const MatchRow& row : table.rows) {
    keys.push_back(keyOf(run, table, row, roles));
    if (keys.back()) folded[*keys.back()].push_back(&row);
  }
  MatchTable result;
  result.out_of_scope = table.out_of_scope;
  result.out_of_window = table.out_of_window;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const MatchRow& row = table.rows[i];
    const MatchRow* itself[] = {&row};
    absl::Span<const MatchRow* const> parts = itself;
    if (keys[i]) parts = folded.at(*keys[i]);
    if (parts.front() != &row) continue;  // already combined there
    MatchRow& one = result.rows.emplace_back(row);
    one.whole &= !keys[i] || whole_roles.hasAll(*keys[i]);
    one.groups = static_cast<std::uint32_t>(parts.size());
    one.first_cell = result.cells.size();
    for (const MatchRow* part : parts) {
      const auto cells = table.cellsOf(*part);
      result.cells.insert(result.cells.end(), cells.begin(), cells.end());
      one.first_issue_ns = std::min(one.first_issue_ns, part->first_issue_ns);
      one.last_issue_ns = std::max(one.last_issue_ns, part->last_issue_ns);
    }
    one.cell_count = result.cells.size() - one.first_cell;
  }
  return result;
}

}  // namespace traced
