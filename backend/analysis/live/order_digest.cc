#include "analysis/live/order_digest.h"

#include <algorithm>

#include "trace_io/word_hash.h"

namespace traced {
namespace {

constexpr std::uint64_t kMaxBlocks = OrderWatch::kWindow / kOrderBlock;

// 0 is reserved for unknown signatures.
std::uint32_t shortHash(std::uint64_t hash) {
  const auto low = static_cast<std::uint32_t>(hash);
  return low == 0 ? 1 : low;
}

std::uint32_t signatureOf(const OrderWatch& watch, std::uint32_t group,
                          std::uint64_t seq) {
  const auto signature = watch.signatureAt(group, seq);
  return signature ? shortHash(*signature) : 0;
}

std::uint32_t blockOf(const OrderWatch& watch, std::uint32_t group,
                      std::uint64_t block) {
  std::uint64_t signatures[kOrderBlock];
  for (std::uint64_t i = 0; i < kOrderBlock; ++i) {
    const std::uint64_t seq = block * kOrderBlock + i;
    const std::uint32_t signature = signatureOf(watch, group, seq);
    // Sequence numbers begin at 1.
    if (signature == 0 && seq > 0) return 0;
    signatures[i] = signature;
  }
  return shortHash(wordHash(signatures));
}

bool differ(std::uint32_t one, std::uint32_t other) {
  return one != 0 && other != 0 && one != other;
}

// Calls visit(number, value) in ascending order for a list whose last element
// has number `last`.
template <typename List, typename Visit>
void forEachNumbered(const List& list, std::uint64_t last, Visit visit) {
  const auto size = static_cast<std::uint64_t>(list.size());
  for (std::uint64_t i = 0; i < size; ++i) {
    const std::uint64_t before = size - 1 - i;
    if (before <= last) visit(last - before, list[static_cast<int>(i)]);
  }
}

}  // namespace

v1::OrderDigest orderDigest(const OrderWatch& watch, std::uint32_t group,
                            std::optional<std::uint64_t> spelled_block) {
  v1::OrderDigest digest;
  const std::uint64_t newest = watch.newest(group);
  digest.set_newest(newest);
  const std::uint64_t latest = std::min(newest, kOrderLatest);
  for (std::uint64_t seq = newest - latest + 1; seq <= newest; ++seq) {
    digest.add_latest(signatureOf(watch, group, seq));
  }
  const std::uint64_t end = newest / kOrderBlock;
  for (std::uint64_t block = end - std::min(end, kMaxBlocks - 1); block < end;
       ++block) {
    digest.add_blocks(blockOf(watch, group, block));
  }
  if (!spelled_block) return digest;
  digest.set_spelled_block_plus_1(*spelled_block + 1);
  for (std::uint64_t i = 0; i < kOrderBlock; ++i) {
    digest.add_spelled(
        signatureOf(watch, group, *spelled_block * kOrderBlock + i));
  }
  return digest;
}

OrderDifference orderDifference(const OrderWatch& watch, std::uint32_t group,
                                const v1::OrderDigest& theirs) {
  OrderDifference difference;
  const auto compare = [&](std::uint64_t seq, std::uint32_t signature) {
    if (!differ(signature, signatureOf(watch, group, seq))) return;
    difference.seq = std::min(seq, difference.seq.value_or(seq));
  };
  if (theirs.spelled_block_plus_1() > 0) {
    forEachNumbered(theirs.spelled(),
                    theirs.spelled_block_plus_1() * kOrderBlock - 1, compare);
  }
  forEachNumbered(theirs.latest(), theirs.newest(), compare);
  const std::uint64_t end = theirs.newest() / kOrderBlock;
  if (end == 0) return difference;
  forEachNumbered(theirs.blocks(), end - 1,
                  [&](std::uint64_t block, std::uint32_t hash) {
                    if (!difference.block && hash != 0 &&
                        differ(hash, blockOf(watch, group, block))) {
                      difference.block = block;
                    }
                  });
  const bool is_known = difference.seq && difference.block &&
                        *difference.seq / kOrderBlock <= *difference.block;
  if (is_known) difference.block.reset();
  return difference;
}

}  // namespace traced
