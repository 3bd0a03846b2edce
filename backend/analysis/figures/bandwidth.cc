#include "analysis/figures/bandwidth.h"

#include <array>
#include <bit>

#include "absl/strings/str_cat.h"

namespace traced {
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

std::optional<double> busFactor(const v1::Call& call, std::uint32_t group_size,
                                std::uint32_t group_rank) {
  const auto even = busFactor(call.op(), group_size);
  if (!even || trafficOf(call.op()) != Traffic::kAllToAll) return even;
  if (call.splits_cut() > 0 || call.tensors_cut() > 0) return std::nullopt;
  const bool single = call.op() == v1::OPERATION_ALL_TO_ALL_SINGLE;
  if (single && call.split_in().empty() && call.split_out().empty()) {
    return even;
  }
  const std::uint64_t bytes = messageBytes(call, group_size);
  const auto others = bytesForOthers(call, group_size, group_rank);
  if (!others || bytes == 0) return even;
  return static_cast<double>(*others) / static_cast<double>(bytes);
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
