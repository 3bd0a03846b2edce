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

// Returns the fraction part / whole of the call's input bytes.
std::uint64_t shareOf(const v1::Call& call, std::uint64_t part,
                      std::uint64_t whole) {
  if (whole == 0) return 0;
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(Wide{call.bytes_in()} * part / whole);
}

// Equal parts for consecutive members: `elements` each for `members` members. A
// part is a tensor of a list or a slice of one tensor.
struct Part {
  std::uint64_t elements = 0;
  std::uint64_t members = 1;
};

// Returns how an all-to-all divides its input. Empty if unknown.
std::vector<Part> partsOf(const v1::Call& call, std::uint32_t group_size) {
  std::vector<Part> parts;
  if (call.op() == v1::OPERATION_ALL_TO_ALL) {
    if (call.tensors_cut() > 0) return {};
    for (const v1::TensorRun& run : call.input()) {
      // Elements of another dtype differ in size.
      if (run.dtype() != call.input(0).dtype()) return {};
      parts.push_back({static_cast<std::uint64_t>(elementsOfEach(run)),
                       std::max<std::uint64_t>(run.count(), 1)});
    }
    return parts;
  }
  if (call.splits_cut() > 0) return {};
  if (call.split_in().empty()) return {{1, group_size}};
  for (const std::int64_t rows : call.split_in()) {
    if (rows < 0) return {};
    parts.push_back({static_cast<std::uint64_t>(rows), 1});
  }
  return parts;
}

std::uint64_t sumOf(const std::vector<Part>& parts) {
  std::uint64_t all = 0;
  for (const Part& part : parts) all += part.elements * part.members;
  return all;
}

// Returns the bytes that a rank sends to itself.
std::optional<std::uint64_t> ownPart(const v1::Call& call,
                                     std::uint32_t group_size,
                                     std::uint32_t group_rank) {
  const std::vector<Part> parts = partsOf(call, group_size);
  std::uint64_t before = 0;
  for (const Part& part : parts) {
    before += part.members;
    if (group_rank < before) return shareOf(call, part.elements, sumOf(parts));
  }
  return std::nullopt;
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
      return ownPart(call, group_size, group_rank);
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

std::vector<std::uint64_t> bytesToEach(const v1::Call& call,
                                       std::uint32_t group_size) {
  const std::vector<Part> parts = partsOf(call, group_size);
  const std::uint64_t all = sumOf(parts);
  std::vector<std::uint64_t> bytes;
  for (const Part& part : parts) {
    if (part.members > group_size - bytes.size()) return {};
    bytes.insert(bytes.end(), part.members, shareOf(call, part.elements, all));
  }
  if (bytes.size() != group_size) return {};
  return bytes;
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
