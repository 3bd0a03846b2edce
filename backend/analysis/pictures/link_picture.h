// Makes a LinkPicture: what went from whom to whom.

#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analysis/pictures/link_units.h"
#include "analysis/pictures/pictures.h"
#include "analysis/stream/stream_table.h"
#include "analysis/time_split/time_split.h"

namespace traced {

class LinkPictureBuilder {
 public:
  // Of pairs that are told; with more, nodes or neighbours are told as one.
  static constexpr std::size_t kMostLinks = 16384;

  // `ranks`: those that have a stream, ascending. `nodes`: as of LinkUnits.
  LinkPictureBuilder(const std::vector<std::uint32_t>& ranks,
                     const std::vector<RankNode>& nodes);

  // A stream, then each of its operations, then its end.
  void begin(const StreamTable& table);
  void add(const AssembledOperation& op, const v1::Call& call,
           const OperationSplit& split);
  void end();
  // What was shown to another one of the same ranks.
  void add(const LinkPictureBuilder& other);

  LinkPicture finish() &&;

 private:
  // All all-to-alls of one call.
  struct Calls {
    std::uint64_t count = 0;
    std::uint64_t timed = 0;
    std::uint64_t timed_ns = 0;
  };

  // Units: from whom, to whom.
  using Pair = std::pair<std::uint32_t, std::uint32_t>;

  void addLink(const Pair& pair, const Link& link);
  Link& linkOf(std::uint32_t from, std::uint32_t to);
  void addMessage(const AssembledOperation& op, const v1::Call& call,
                  const OperationSplit& split);
  void addCalls(const v1::Call& call, const Calls& calls);
  void fold();

  LinkPicture picture_;
  LinkUnits units_;
  absl::flat_hash_set<std::uint32_t> recorded_;
  const StreamTable* table_ = nullptr;
  absl::flat_hash_map<std::uint32_t, Calls> by_call_;
  absl::flat_hash_map<Pair, Link> links_;
  // How many members may still be looked at one by one: of a stream, its share
  // of what may be of all.
  static constexpr std::uint64_t kMostMembers = 200'000'000;
  std::uint64_t allowance_ = 0;
};

}  // namespace traced
