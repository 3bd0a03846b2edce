#include "nccl/method.h"

#include <atomic>
#include <iterator>

namespace simulated {

Method nextMethod(bool is_message) {
  static constexpr const char* kAlgorithms[] = {"TREE", "RING", "NVLS", "PAT"};
  static constexpr const char* kProtocols[] = {"LL", "LL128", "SIMPLE"};
  constexpr unsigned kMaxChannels = 31;
  static std::atomic<unsigned> count{0};
  const unsigned n = count++;
  const auto channels = static_cast<std::uint8_t>(n % kMaxChannels + 1);
  if (is_message) return {nullptr, nullptr, channels};
  return {kAlgorithms[n % std::size(kAlgorithms)],
          kProtocols[n % std::size(kProtocols)], channels};
}

}  // namespace simulated
