#include "analysis/digest/call_order.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "analysis/job/matched_calls.h"
#include "base/utf8.h"
#include "trace_io/word_hash.h"

namespace traced {
namespace {

// Collectives of a group whose numbers follow each other.
constexpr std::uint64_t kBlock = 256;

struct OrderOfBlock {
  std::uint32_t count = 0;
  std::uint64_t hash = 0;
};

}  // namespace

// A sum, so that records need not come in the order of the numbers.
void addOrder(const StreamTable& table, absl::Span<const std::uint32_t> groups,
              v1::StreamDigest& digest) {
  const MatchedCalls calls(table, groups);
  std::map<std::pair<std::uint32_t, std::uint64_t>, OrderOfBlock> blocks;
  for (const AssembledOperation& op : table.operations) {
    const MatchedCall* call = calls.of(op);
    if (!call || call->key.source != OperationKey::kNoRank) continue;
    const std::uint32_t id = table.callOf(op)->group();
    OrderOfBlock& block = blocks[{id, (op.seq - 1) / kBlock}];
    ++block.count;
    block.hash += wordHash(std::array{op.seq, call->signature});
  }
  for (const auto& [place, block] : blocks) {
    digest.add_order_group(place.first);
    digest.add_order_block(place.second);
    digest.add_order_count(block.count);
    digest.add_order_hash(block.hash);
  }
}

// Where ranks know different numbers of a block's operations, nothing is said.
void CallOrders::add(const v1::StreamDigest& digest, const StreamTable& table,
                     absl::Span<const std::uint32_t> groups) {
  const int count =
      std::min({digest.order_group_size(), digest.order_block_size(),
                digest.order_count_size(), digest.order_hash_size()});
  for (int i = 0; i < count; ++i) {
    const std::uint32_t local = table.definitions.group(digest.order_group(i));
    if (local >= groups.size()) continue;
    const auto [place, is_new] =
        blocks_.try_emplace({groups[local], digest.order_block(i)});
    Block& block = place->second;
    if (is_new) {
      block.count = digest.order_count(i);
      block.hash = digest.order_hash(i);
      block.rank = table.header.rank();
    } else if (!block.differs && block.rank != table.header.rank() &&
               block.count == digest.order_count(i) &&
               block.hash != digest.order_hash(i)) {
      block.differs = true;
      block.other_rank = table.header.rank();
    }
  }
}

std::vector<std::string> CallOrders::differences(
    const GroupCatalog& catalog) const {
  std::vector<std::string> sentences;
  std::uint32_t told = GroupCatalog::kNone;
  for (const auto& [place, block] : blocks_) {
    const auto& [group, number] = place;
    if (!block.differs || group == told) continue;
    told = group;
    sentences.push_back(toValidUtf8(absl::StrCat(
        "the calls of group ", catalog.label(group), " differ between ranks ",
        block.rank, " and ", block.other_rank, " from its call ",
        number * kBlock + 1, " to ", (number + 1) * kBlock,
        ": `tracectl diagnose` of the traces tells how")));
  }
  return sentences;
}

}  // namespace traced
