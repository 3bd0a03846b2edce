#include "trace_io/message_size.h"

#include <algorithm>
#include <limits>

namespace traced {
namespace {

std::uint64_t times(std::uint64_t bytes, std::uint32_t count) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(bytes, count, &product)
             ? std::numeric_limits<std::uint64_t>::max()
             : product;
}

// What share of the bytes handed in is `part` of `whole`.
std::uint64_t shareOf(const v1::Call& call, std::uint64_t part,
                      std::uint64_t whole) {
  if (whole == 0) return 0;
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(Wide{call.bytes_in()} * part / whole);
}

std::optional<std::uint64_t> ownSplit(const v1::Call& call,
                                      std::uint32_t group_size,
                                      std::uint32_t group_rank) {
  if (call.splits_cut() > 0) return std::nullopt;
  if (call.split_in().empty()) return shareOf(call, 1, group_size);
  if (group_rank >= static_cast<std::uint32_t>(call.split_in_size())) {
    return std::nullopt;
  }
  std::uint64_t all = 0;
  for (const std::int64_t rows : call.split_in()) {
    all += static_cast<std::uint64_t>(rows);
  }
  const std::int64_t own = call.split_in(static_cast<int>(group_rank));
  return shareOf(call, static_cast<std::uint64_t>(own), all);
}

// Of a list with a tensor per member, all of one dtype.
std::optional<std::uint64_t> ownTensor(const v1::Call& call,
                                       std::uint32_t group_rank) {
  if (call.tensors_cut() > 0 || call.input().empty()) return std::nullopt;
  std::uint64_t all = 0;
  std::uint64_t before = 0;
  std::optional<std::uint64_t> own;
  for (const v1::TensorRun& run : call.input()) {
    if (run.dtype() != call.input(0).dtype()) return std::nullopt;
    std::uint64_t elements = 1;
    for (const std::int64_t size : run.shape()) {
      elements *= static_cast<std::uint64_t>(size);
    }
    const std::uint64_t count = run.count() > 0 ? run.count() : 1;
    all += elements * count;
    if (!own && group_rank < before + count) own = elements;
    before += count;
  }
  if (!own) return std::nullopt;
  return shareOf(call, *own, all);
}

std::optional<std::uint64_t> ownBytes(const v1::Call& call,
                                      std::uint32_t group_size,
                                      std::uint32_t group_rank) {
  switch (trafficOf(call.op())) {
    case Traffic::kGathered:
    case Traffic::kGatherRoot:
      return call.bytes_in();
    case Traffic::kScattered:
    case Traffic::kScatterRoot:
      return call.bytes_out();
    case Traffic::kAllToAll:
      return call.op() == v1::OPERATION_ALL_TO_ALL
                 ? ownTensor(call, group_rank)
                 : ownSplit(call, group_size, group_rank);
    default:
      return 0;
  }
}

}  // namespace

Traffic trafficOf(v1::Operation op) {
  switch (op) {
    case v1::OPERATION_ALL_REDUCE:
    case v1::OPERATION_ALL_REDUCE_COALESCED:
    case v1::OPERATION_ALL_REDUCE_SPARSE:
      return Traffic::kAllReduce;
    case v1::OPERATION_BROADCAST:
    case v1::OPERATION_REDUCE:
    case v1::OPERATION_SEND:
    case v1::OPERATION_RECV:
      return Traffic::kTensor;
    case v1::OPERATION_ALL_GATHER:
    case v1::OPERATION_ALL_GATHER_COALESCED:
    case v1::OPERATION_ALL_GATHER_INTO_TENSOR:
    case v1::OPERATION_ALL_GATHER_INTO_TENSOR_COALESCED:
      return Traffic::kGathered;
    case v1::OPERATION_GATHER:
    case v1::OPERATION_GATHER_INTO_TENSOR:
      return Traffic::kGatherRoot;
    case v1::OPERATION_REDUCE_SCATTER:
    case v1::OPERATION_REDUCE_SCATTER_TENSOR:
    case v1::OPERATION_REDUCE_SCATTER_TENSOR_COALESCED:
      return Traffic::kScattered;
    case v1::OPERATION_SCATTER:
      return Traffic::kScatterRoot;
    case v1::OPERATION_ALL_TO_ALL:
    case v1::OPERATION_ALL_TO_ALL_SINGLE:
      return Traffic::kAllToAll;
    default:
      return Traffic::kNone;
  }
}

std::uint64_t messageBytes(const v1::Call& call, std::uint32_t group_size) {
  switch (trafficOf(call.op())) {
    case Traffic::kGathered:
      return call.bytes_out() ? call.bytes_out()
                              : times(call.bytes_in(), group_size);
    case Traffic::kGatherRoot:
      return times(call.bytes_in(), group_size);
    case Traffic::kScattered:
      return call.bytes_in();
    case Traffic::kScatterRoot:
      return times(call.bytes_out(), group_size);
    default:
      return std::max(call.bytes_in(), call.bytes_out());
  }
}

std::optional<std::uint64_t> bytesForOthers(const v1::Call& call,
                                            std::uint32_t group_size,
                                            std::uint32_t group_rank) {
  const auto own = ownBytes(call, group_size, group_rank);
  if (!own) return std::nullopt;
  const std::uint64_t all = messageBytes(call, group_size);
  return all - std::min(all, *own);
}

std::int64_t elementsOfEach(const v1::TensorRun& run) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : run.shape()) {
    if (__builtin_mul_overflow(elements, extent, &elements)) return 0;
  }
  return elements;
}

std::optional<std::int64_t> elementsOf(
    const google::protobuf::RepeatedPtrField<v1::TensorRun>& runs) {
  std::int64_t all = 0;
  for (const v1::TensorRun& run : runs) {
    std::int64_t elements = 0;
    if (__builtin_mul_overflow(elementsOfEach(run),
                               std::int64_t{std::max(run.count(), 1u)},
                               &elements) ||
        __builtin_add_overflow(all, elements, &all)) {
      return std::nullopt;
    }
  }
  return all;
}

}  // namespace traced
