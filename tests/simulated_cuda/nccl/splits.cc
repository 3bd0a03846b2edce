#include "nccl/splits.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace simulated {
namespace {

// Sends colour and key to all ranks and waits for theirs. Returns (key, rank)
// of the ranks with this colour, in their new order. Empty after an abort.
std::vector<std::pair<int, int>> agree(Endpoint& end, std::uint64_t round,
                                       int color, int key) {
  SplitSlot* slots = end.segment->slots[round % 2];
  SplitSlot& own = slots[end.rank];
  own.color = color;
  own.key = key;
  own.round = round;
  for (int peer = 0; peer < end.ranks; ++peer) end.segment.ringBell(peer);
  std::vector<std::pair<int, int>> members;
  for (int peer = 0; peer < end.ranks; ++peer) {
    for (;;) {
      const auto seen = end.bell();
      if (slots[peer].round == round) break;
      if (end.aborted()) return {};
      end.await(seen);
    }
    if (slots[peer].color == color) members.push_back({slots[peer].key, peer});
  }
  std::sort(members.begin(), members.end());
  return members;
}

}  // namespace
}  // namespace simulated

extern "C" {

ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t* out,
                           ncclConfig_t* config) {
  const auto end = comm->end;
  *out = nullptr;
  if (!end) return simulated::refuse(__func__, "the communicator is destroyed");
  const auto round = ++comm->rounds;
  const auto members = simulated::agree(*end, round, color, key);
  if (members.empty()) {
    return simulated::fail(ncclInvalidUsage, "the communicator was aborted");
  }
  if (color == NCCL_SPLIT_NOCOLOR) return ncclSuccess;
  const auto own =
      std::find_if(members.begin(), members.end(),
                   [&](const auto& m) { return m.second == end->rank; });
  return simulated::create(
      out,
      end->name + ".s" + std::to_string(round) + "." + std::to_string(color),
      static_cast<int>(members.size()), static_cast<int>(own - members.begin()),
      config);
}

ncclResult_t ncclCommShrink(ncclComm_t comm, int* excluded, int count,
                            ncclComm_t* out, ncclConfig_t* config, int flags) {
  const auto end = comm->end;
  if (!end) return simulated::refuse(__func__, "the communicator is destroyed");
  std::string name = end->name + ".k" + std::to_string(++comm->children);
  int rank = end->rank;
  for (int i = 0; i < count; ++i) {
    name += "." + std::to_string(excluded[i]);
    if (excluded[i] < end->rank) --rank;
  }
  if (flags & NCCL_SHRINK_ABORT) end->abort();
  return simulated::create(out, name, end->ranks - count, rank, config);
}

}  // extern "C"
