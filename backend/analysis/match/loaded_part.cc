#include "analysis/match/loaded_part.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/match/message_pairing.h"
#include "analysis/stream/batches.h"

namespace traced {
namespace {

using Operations = std::vector<AssembledOperation>;

// Where to cut: before operation `wanted`, or if that parts a batch at the
// nearest place behind or before it that parts none.
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

// Leaves one end of the operations of a stream.
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

}  // namespace traced
