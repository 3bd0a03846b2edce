#include "analysis/match/rows_at_end.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/job/group_catalog.h"
#include "analysis/match/message_pairing.h"
#include "analysis/match/row_groups.h"
#include "analysis/stream/batches.h"

namespace traced {
namespace {

using Operations = std::vector<AssembledOperation>;

// Returns where to cut without splitting a batch: before operation `wanted`, or
// else at the nearest such index after (`behind`) or before it.
std::size_t seamAt(const Operations& ops, std::size_t wanted, bool behind) {
  absl::flat_hash_map<std::uint64_t, std::size_t> last_of;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].batch > 0) last_of[ops[i].batch] = i;
  }
  std::size_t before = 0;
  std::size_t open_until = 0;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (i >= open_until) {
      if (i == wanted || (behind && i > wanted)) return i;
      if (i > wanted) break;
      before = i;
    }
    if (ops[i].batch == 0) continue;
    open_until = std::max(open_until, last_of.at(ops[i].batch) + 1);
  }
  return behind ? ops.size() : before;
}

// Keeps one end of a stream's operations.
class Cutter {
 public:
  Cutter(const PartToLoad& part, const MatchFilter& filter, NotKept& not_kept)
      : part_(part), filter_(filter), not_kept_(not_kept) {}

  void cut(const LoadedRun& run, LoadedRun::Stream& stream) {
    Operations& ops = stream.table.operations;
    const std::size_t all = ops.size();
    std::erase_if(ops, [&](const AssembledOperation& op) {
      return !passes(run, stream, op);
    });
    if (ops.size() > part_.operations) cutEnd(run, stream);
    ops.shrink_to_fit();
    took_any_ |= ops.size() < all;
  }

  bool tookAny() const { return took_any_; }

 private:
  bool passes(const LoadedRun& run, const LoadedRun::Stream& stream,
              const AssembledOperation& op) const {
    if (!filter_.passesRank(stream.table.header.rank())) return false;
    if (filter_.groups.empty() || op.batch > 0) return true;
    const v1::Call* call = stream.table.callOf(op);
    const std::uint32_t group =
        call ? run.groupOf(stream, *call) : GroupCatalog::kNone;
    return filter_.passesGroup(run.groups.label(group));
  }

  void cutEnd(const LoadedRun& run, LoadedRun::Stream& stream) {
    Operations& ops = stream.table.operations;
    const bool first = part_.end == PartToLoad::End::kFirst;
    const std::size_t wanted =
        first ? part_.operations : ops.size() - part_.operations;
    const auto seam =
        static_cast<std::ptrdiff_t>(seamAt(ops, wanted, /*behind=*/first));
    const auto middle = ops.begin() + seam;
    const auto from = first ? middle : ops.begin();
    const auto to = first ? ops.end() : middle;
    note(run, stream, from, to);
    ops.erase(from, to);
  }

  void note(const LoadedRun& run, const LoadedRun::Stream& stream,
            Operations::iterator from, Operations::iterator to) {
    const Batches batches(stream.table);
    for (auto op = from; op != to; ++op) {
      not_kept_.add(matchEntryOf(run, stream, batches, *op, op->seq));
    }
  }

  const PartToLoad part_;
  const MatchFilter& filter_;
  NotKept& not_kept_;
  bool took_any_ = false;
};

}  // namespace

LoadedPart loadPart(const TraceSet& set, const PartToLoad& part,
                    const MatchFilter& filter) {
  LoadedPart loaded;
  Cutter cutter(part, filter, loaded.not_kept);
  loaded.run =
      loadRun(set, [&cutter](const LoadedRun& run, LoadedRun::Stream& stream) {
        cutter.cut(run, stream);
      });
  if (!cutter.tookAny() || !MessagePairing::isNeeded(loaded.run)) return loaded;
  loaded = LoadedPart();
  loaded.run = loadRun(set);
  return loaded;
}

namespace {

// Number of operations to load per rank at first: a few per wanted row, because
// some of a rank's operations belong to other groups. At least an amount that
// needs little memory.
constexpr std::size_t kOperationsForRow = 4;
constexpr std::size_t kMinOperations = 64;
constexpr std::size_t kOfAllRanks = 1 << 17;
// Growth factor if that is not enough.
constexpr std::size_t kGrowth = 8;

// Returns whether the first `count` rows equal those of the whole run.
// Operations outside memory must all be later, and an incomplete row may start
// with one of these. An incomplete row may also hide another: if a rank used
// its number twice, only the second may be in memory. The hidden row is at the
// time of one of its parts, so every row up to the end must be whole.
bool firstAreKnown(const MatchTable& table, const NotKept& not_kept,
                   std::size_t count) {
  const std::int64_t end_ns = table.rows[count - 1].order_ns;
  return not_kept.allAfter(end_ns) &&
         std::all_of(table.rows.begin(), table.rows.end(),
                     [end_ns](const MatchRow& row) {
                       return row.whole || row.order_ns > end_ns;
                     });
}

bool lastAreKnown(const MatchTable& table, const NotKept& not_kept,
                  std::size_t count) {
  const std::int64_t begin_ns = table.rows[table.rows.size() - count].order_ns;
  return not_kept.allBefore(begin_ns) &&
         std::all_of(table.rows.begin(), table.rows.end(),
                     [begin_ns](const MatchRow& row) {
                       return row.whole || row.last_issue_ns < begin_ns;
                     });
}

}  // namespace

bool rowsAreKnown(const MatchTable& table, const NotKept& not_kept,
                  const RowsWanted& wanted) {
  if (not_kept.empty() || wanted.rows == 0) return true;
  if (table.rows.size() < wanted.rows) return false;
  return wanted.end == PartToLoad::End::kFirst
             ? firstAreKnown(table, not_kept, wanted.rows)
             : lastAreKnown(table, not_kept, wanted.rows);
}

RowsAtEnd::RowsAtEnd(const TraceSet& set, std::optional<RowsWanted> wanted,
                     MatchFilter filter)
    : set_(set), wanted_(wanted), filter_(std::move(filter)) {
  if (wanted_) {
    const std::size_t ranks = std::max<std::size_t>(set.selected.size(), 1);
    part_.end = wanted_->end;
    part_.operations =
        std::max({kMinOperations, kOperationsForRow * wanted_->rows,
                  kOfAllRanks / ranks});
  }
  load();
}

void RowsAtEnd::load() {
  loaded_ = LoadedPart();
  if (wanted_) {
    loaded_ = loadPart(set_, part_, filter_);
  } else {
    loaded_.run = loadRun(set_);
  }
}

void RowsAtEnd::match(bool fold) {
  filter_.not_kept = &loaded_.not_kept;
  for (;;) {
    table_ = matchOperations(loaded_.run, filter_);
    if (fold) {
      table_ = foldGroups(loaded_.run, table_, GroupRoles(loaded_.run.groups),
                          filter_.not_kept);
    }
    if (!wanted_ || rowsAreKnown(table_, loaded_.not_kept, *wanted_)) return;
    part_.operations *= kGrowth;
    load();
  }
}

}  // namespace traced
