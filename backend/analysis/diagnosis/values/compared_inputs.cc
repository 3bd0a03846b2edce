#include "analysis/diagnosis/values/compared_inputs.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/diagnosis/values/tensor_types.h"
#include "analysis/stream/operation_kinds.h"
#include "base/examined.h"

namespace traced {
namespace {

constexpr double kUneven = 1000;
constexpr std::uint64_t kMinElements = 1024;
constexpr std::uint32_t kMinRanks = 3;
constexpr std::uint64_t kMinOverflows = 3;
// One in so many operations.
constexpr std::uint64_t kShare = 10;

// Adds one more tensor to what is known of a kind of operation. Tensors of one
// operation count once.
template <typename Occurrences>
void count(std::uint64_t seq, Occurrences& found) {
  if (found.operations == 0 || found.last_seq != seq) ++found.operations;
  found.last_seq = seq;
}

}  // namespace

void ComparedInputs::Tensor::addInput(const StatisticsRow& row,
                                      std::uint32_t from) {
  is_unclear |= inputs > 0 && elements != row.elements;
  ++inputs;
  is_finite &= row.nan == 0 && row.infinite == 0;
  elements = row.elements;
  const double of_rank = std::bit_cast<double>(row.norm_bits);
  inputs_not_zero += of_rank > 0;
  if (of_rank > norm) {
    next_norm = norm;
    norm = of_rank;
    rank = from;
  } else {
    next_norm = std::max(next_norm, of_rank);
  }
}

void ComparedInputs::Tensor::addResult(const StatisticsRow& row) {
  has_result = true;
  is_result_infinite |= row.infinite > 0 && row.nan == 0;
}

void ComparedInputs::add(const ExaminedStream& stream) {
  const StreamTable& table = stream.table();
  for (const StatisticsRow& row : table.statistics) {
    const auto found = stream.operations().find(row.op);
    if (!found || row.skipped != 0) continue;
    const v1::Call& call = found->call;
    const bool is_sum = call.reduce_op() == v1::REDUCE_OP_SUM &&
                        call.op() != v1::OPERATION_REDUCE_SCATTER;
    if (!is_sum || largestOf(outputType(call, row.tensor)) == 0) continue;
    Tensor* const tensor = tensorOf(*found, row.tensor);
    if (!tensor) continue;
    if (isAt(row, ExaminedAt::kIssue)) {
      tensor->addInput(row, table.header.rank());
    } else if (isAt(row, ExaminedAt::kEnd)) {
      tensor->addResult(row);
    }
  }
}

ComparedInputs::Tensor* ComparedInputs::tensorOf(
    const ComparableOperations::Found& found, std::uint32_t tensor) {
  const OperationKey& key = found.match.key;
  if (tensors_.size() >= kMaxTensors &&
      index_.find(key, found.op.seq) == OperationIndex::kNone) {
    return nullptr;
  }
  const std::uint32_t number = index_.at(key, found.op.seq, next_);
  if (number == next_) ++next_;
  const auto [place, is_new] = tensors_.try_emplace({number, tensor});
  Tensor& known = place->second;
  if (is_new) {
    known.at = {key, found.op.seq, found.call.op()};
    known.dtype = outputType(found.call, tensor);
    known.signature = found.match.signature;
  }
  known.is_unclear |= known.signature != found.match.signature;
  known.waits_at_once &= waitsAtOnce(found.call);
  return &known;
}

bool ComparedInputs::isComplete(const Tensor& tensor) const {
  return !tensor.is_unclear &&
         tensor.inputs == catalog_.groups()[tensor.at.key.group].members.size();
}

std::vector<const ComparedInputs::Tensor*> ComparedInputs::inOrder() const {
  std::vector<const Tensor*> all;
  for (const auto& [key, tensor] : tensors_) all.push_back(&tensor);
  const auto order = [](const Tensor* tensor) {
    return std::tuple(tensor->at.key.group, tensor->at.seq);
  };
  std::sort(all.begin(), all.end(), [&](const Tensor* a, const Tensor* b) {
    return order(a) < order(b);
  });
  return all;
}

std::vector<UnevenNorms> ComparedInputs::unevenNorms() const {
  std::map<std::pair<std::uint32_t, std::uint32_t>, UnevenNorms> by_rank;
  std::map<std::uint32_t, std::uint64_t> compared;
  for (const Tensor* tensor : inOrder()) {
    if (!isComplete(*tensor) || tensor->inputs_not_zero < kMinRanks ||
        tensor->elements < kMinElements || !tensor->is_finite) {
      continue;
    }
    const std::uint32_t group = tensor->at.key.group;
    ++compared[group];
    if (tensor->norm < kUneven * tensor->next_norm) continue;
    const auto [place, is_new] = by_rank.try_emplace({group, tensor->rank});
    UnevenNorms& found = place->second;
    if (is_new) {
      found = {tensor->at, tensor->rank, tensor->norm, tensor->next_norm, 0, 0};
    }
    count(tensor->at.seq, found);
  }
  std::vector<UnevenNorms> often;
  for (const auto& [key, found] : by_rank) {
    if (found.operations >= kMinOverflows &&
        kShare * found.operations >= compared[key.first]) {
      often.push_back(found);
    }
  }
  return often;
}

std::vector<OverflowedSums> ComparedInputs::overflowedSums() const {
  using Kind = std::tuple<std::uint32_t, v1::DType, std::uint64_t>;
  std::map<Kind, OverflowedSums> by_kind;
  std::map<Kind, std::uint64_t> last;
  for (const Tensor* tensor : inOrder()) {
    if (!tensor->has_result || !isComplete(*tensor)) continue;
    const Kind kind(tensor->at.key.group, tensor->dtype, tensor->elements);
    last[kind] = tensor->at.seq;
    if (!tensor->is_result_infinite || !tensor->is_finite) continue;
    const auto [place, is_new] = by_kind.try_emplace(kind);
    OverflowedSums& found = place->second;
    if (is_new) found = {tensor->at, tensor->dtype, true, 0, 0};
    found.is_sure &= tensor->waits_at_once;
    count(tensor->at.seq, found);
  }
  std::vector<OverflowedSums> lasting;
  for (const auto& [kind, found] : by_kind) {
    if (found.operations >= kMinOverflows && found.last_seq == last[kind]) {
      lasting.push_back(found);
    }
  }
  return lasting;
}

}  // namespace traced
