#include "analysis/job/unclear_pairs.h"

namespace traced {

void UnclearPairs::add(std::uint32_t group, const EngineTraits& engine,
                       std::uint32_t self, const v1::Call& call) {
  // NCCL, which ignores tags, receives from no unknown source either.
  if (engine.tags == EngineTraits::Tags::kIgnored) return;
  if (call.peer_global_plus_1() == 0) {
    any_source_.emplace(group, self);
    return;
  }
  const MessageEnds pair =
      messageEndsOf(group, self, call.peer_global_plus_1() - 1, call.op());
  const auto [known, is_new] = tags_.try_emplace(pair, call.tag());
  if (known->second != call.tag()) several_tags_.insert(pair);
}

}  // namespace traced
