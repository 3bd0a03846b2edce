#include "analysis/bandwidth.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "absl/strings/str_cat.h"

namespace traced {
namespace {

// How the bytes of a call relate to S and to the bus.
enum class Traffic {
  kNone,
  kTensor,      // S is the tensor, moved once
  kAllReduce,   // S is the tensor, moved there and back
  kGathered,    // S is the output: n inputs
  kGatherRoot,  // the same, but only the root has an output
  kScattered,   // S is the input: n outputs
  kScatterRoot,
  kAllToAll,
};

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

std::uint64_t times(std::uint64_t bytes, std::uint32_t count) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(bytes, count, &product)
             ? std::numeric_limits<std::uint64_t>::max()
             : product;
}

}  // namespace

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

std::optional<double> busFactor(v1::Operation op, std::uint32_t group_size) {
  if (group_size == 0) return std::nullopt;
  const double others = static_cast<double>(group_size - 1) / group_size;
  switch (trafficOf(op)) {
    case Traffic::kNone:
      return std::nullopt;
    case Traffic::kTensor:
      return 1.0;
    case Traffic::kAllReduce:
      return 2 * others;
    default:
      return others;
  }
}

std::string sizeBucket(std::uint64_t bytes) {
  if (bytes == 0) return "0 B";
  constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  const int power = std::bit_width(bytes) - 1;
  const int unit = power / 10;
  const std::uint64_t low = std::uint64_t{1} << (power % 10);
  if (low < 512) return absl::StrCat(low, "-", 2 * low, " ", kUnits[unit]);
  return absl::StrCat(low, " ", kUnits[unit], "-1 ", kUnits[unit + 1]);
}

}  // namespace traced
