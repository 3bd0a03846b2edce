#include "analysis/diagnosis/values/nan_origins.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "analysis/stream/operation_kinds.h"
#include "base/examined.h"

namespace traced {
namespace {

// Follows the NaN of one rank, in the order in which its tensors were examined.
class NanSearch {
 public:
  explicit NanSearch(const ExaminedStream& stream)
      : table_(stream.table()), operations_(stream.operations()) {}

  void add(const StatisticsRow& row) {
    const AssembledOperation* op = operations_.any(row.op);
    if (!op || op->failed || row.skipped != 0) return;
    if (isAt(row, ExaminedAt::kEnd)) examined_.insert(row.op);
    const Side side{op->call, row.at, row.tensor};
    if (row.nan == 0) return addClean(side, row.op);
    if (isAt(row, ExaminedAt::kEnd)) {
      if (!received_ && !origin_) received_ = Received{side, row.op};
      ever_received_ = true;
    } else if (origin_) {
      ++later_;
      spread_ |= side != origin_->side;
    } else if (!received_) {
      origin_ = Found{op, row, side, !ever_received_};
      spread_ = clean_.contains(side) || isReduction(*op);
    }
  }

  // One tensor of all operations of a call.
  struct Side {
    std::uint32_t call = 0;
    std::uint32_t at = 0;
    std::uint32_t tensor = 0;

    bool operator==(const Side&) const = default;
    template <typename H>
    friend H AbslHashValue(H hash, const Side& side) {
      return H::combine(std::move(hash), side.call, side.at, side.tensor);
    }
  };
  struct Found {
    const AssembledOperation* op;
    StatisticsRow row;
    Side side;
    // No result before it had NaN, not even one that did not stay.
    bool is_first;
  };
  // Returns the origin, if the NaN stayed and means something.
  std::optional<Found> take() const {
    const bool stays = later_ > 0 || !table_.closed || endedBadly();
    return stays && spread_ ? origin_ : std::nullopt;
  }
  // Returns whether all results of the rank before an operation were examined.
  bool examinedAllBefore(const AssembledOperation& last) const {
    if (table_.lostSomething() || !table_.marks.pauses().empty()) return false;
    return std::all_of(table_.operations.begin(), table_.operations.end(),
                       [&](const AssembledOperation& op) {
                         const v1::Call* call = table_.callOf(op);
                         const bool has_results = !call || call->in_place() ||
                                                  call->tensors_out() > 0;
                         return op.id >= last.id || !has_results ||
                                examined_.contains(op.id);
                       });
  }

 private:
  struct Received {
    Side side;
    std::uint64_t op = 0;
  };

  // Results of operations in flight together may become known in any order.
  void addClean(const Side& side, std::uint64_t op) {
    clean_.insert(side);
    if (received_ && received_->side == side && op > received_->op) {
      received_.reset();
    }
    if (!origin_ || origin_->side != side || op < origin_->row.op) return;
    origin_.reset();
    received_.reset();
    later_ = 0;
  }
  bool isReduction(const AssembledOperation& op) const {
    const v1::Call* call = table_.callOf(op);
    return call && call->reduce_op() != v1::REDUCE_OP_UNSPECIFIED;
  }
  bool endedBadly() const {
    const v1::ProcessEnd& end = table_.process_end;
    return !end.exception().empty() || end.exit_code() != 0;
  }

  const StreamTable& table_;
  const ComparableOperations& operations_;
  std::optional<Found> origin_;
  // The first output with NaN before the origin.
  std::optional<Received> received_;
  // Inputs with NaN after the origin.
  std::uint64_t later_ = 0;
  // Tensors that were without NaN. A program that transfers NaN from the start,
  // as for a missing number, means it.
  absl::flat_hash_set<Side> clean_;
  bool spread_ = false;
  bool ever_received_ = false;
  // Operations whose results were examined.
  absl::flat_hash_set<std::uint64_t> examined_;
};

}  // namespace

std::optional<NanOrigin> nanOrigin(const ExaminedStream& stream) {
  const StreamTable& table = stream.table();
  if (table.statistics.empty()) return std::nullopt;
  NanSearch search(stream);
  for (const StatisticsRow& row : table.statistics) search.add(row);
  const auto found = search.take();
  if (!found) return std::nullopt;
  const v1::Call* call = table.callOf(*found->op);
  const std::uint32_t local =
      call ? table.groupOf(*call) : StreamDefinitions::kNone;
  if (local == StreamDefinitions::kNone) return std::nullopt;
  NanOrigin origin;
  origin.rank = table.header.rank();
  origin.operation.group = stream.operations().groups()[local];
  if (isPointToPoint(call->op())) {
    origin.operation.source = origin.rank;
    origin.operation.destination = call->peer_global_plus_1() - 1;
  }
  origin.seq = found->op->seq;
  origin.op = call->op();
  origin.issue_ns = found->op->issued.ns();
  origin.nan = found->row.nan;
  origin.elements = found->row.elements;
  origin.all_examined = found->is_first && search.examinedAllBefore(*found->op);
  return origin;
}

}  // namespace traced
