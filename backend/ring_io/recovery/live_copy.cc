#include "ring_io/recovery/live_copy.h"

#include <cstddef>
#include <cstring>

#include "ring_io/ring/ring.h"

namespace traced {
namespace {

std::uint64_t commitAt(std::string_view segment, std::size_t slot_at) {
  std::uint64_t commit;
  std::memcpy(&commit, segment.data() + slot_at + offsetof(RingSlot, commit),
              sizeof commit);
  return commit;
}

// Whether the slots of the record that is committed so were claimed again: the
// commit word stays the old one until the new record is filled in.
bool isReused(std::uint64_t commit, std::uint64_t slots, std::uint64_t head) {
  return commit > 0 && commit <= head && head - (commit - 1) > slots;
}

}  // namespace

void settle(const SegmentContent& content, std::string_view first,
            std::span<char> second, std::uint64_t head_after) {
  const std::size_t slots_at = content.ring_offset + sizeof(RingControl);
  first.copy(second.data(), slots_at);
  for (std::uint64_t i = 0; i < content.slots; ++i) {
    const std::size_t at = slots_at + i * kSlotBytes;
    const std::uint64_t commit = commitAt(first, at);
    if (isReused(commit, content.slots, head_after) ||
        commitAt({second.data(), second.size()}, at) != commit) {
      std::memset(&second[at + offsetof(RingSlot, commit)], 0, sizeof commit);
    }
  }
}

}  // namespace traced
