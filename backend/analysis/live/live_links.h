// LiveLinks tells while a job runs between which ranks transfers are slower
// than their like, by the rule for whole runs (diagnosis/slow_peers): when that
// begins, and when it ends.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/diagnosis/slow_peers/compared_links.h"
#include "analysis/job/matched_calls.h"
#include "analysis/stream/stream_table.h"

namespace traced {

// Not thread safe. Memory: 24 bytes a transfer, at most kMaxTransfers of each
// link and kMaxClasses kinds of links.
class LiveLinks {
 public:
  // What is looked at, how often, and how long a link must be slow.
  static constexpr std::int64_t kWindowNs = 20'000'000'000;
  static constexpr std::int64_t kEveryNs = 5'000'000'000;
  static constexpr std::int64_t kLastingNs = 10'000'000'000;
  static constexpr std::size_t kMaxTransfers = 512;
  static constexpr std::size_t kMaxClasses = 512;

  // The ranks whose transfers are slow, and by how much.
  struct Slow {
    std::vector<std::uint32_t> ranks;
    std::uint32_t group = 0;
    // The slowest of them.
    SlowTransfers worst;
    // Of the time, from 0 to 1.
    double of_time = 0;
  };

  // Links that carry the same.
  struct Class {
    ComparedLinks compared;
    // Of the numbers of a link's operations every so manieth is kept.
    std::uint64_t stride = 1;
    std::map<std::vector<std::uint32_t>, std::size_t> index;
  };
  // Of the operations of one call, the links that they are transfers of.
  struct LinkIndex {
    Class* of = nullptr;
    std::size_t link = 0;
  };

  // Of a call whose ranks all run here. `members`: of its group.
  std::vector<LinkIndex> linksOf(const StreamTable& table, const v1::Call& call,
                                 const MatchedCall& matched,
                                 const RankList& members);
  // The transfer of the operation with that number.
  static void add(const std::vector<LinkIndex>& places, std::uint64_t seq,
                  const Transfer& transfer);

  // Moves on to now. Of a `starved` machine nothing is told, and what was seen
  // there counts for nothing.
  void update(std::int64_t now_ns, bool starved);
  const std::vector<Slow>& slow() const { return slow_; }

 private:
  // The kind of its links, what they carry, and the group, or how large groups
  // are, where that has to be equal.
  using Key = std::tuple<ComparedLinks::Kind, std::string, std::uint32_t>;

  void addPlace(const Key& key, const std::string& op,
                std::vector<std::uint32_t> ranks, std::uint32_t group,
                std::vector<LinkIndex>& places);
  void addSlow(Class& of, std::int64_t now_ns);
  void keepNarrowest();

  std::map<Key, Class> classes_;
  std::vector<Slow> slow_;
  std::int64_t looked_ns_ = 0;
};

}  // namespace traced
