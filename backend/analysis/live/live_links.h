// LiveLinks detects links with slower transfers than comparable ones in a
// running job, and when that ends. It applies the rule for whole runs
// (diagnosis/slow_peers).

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

// Not thread safe. Memory: 24 bytes per transfer, at most kMaxTransfers per
// link and kMaxClasses classes of links.
class LiveLinks {
 public:
  // Length of the observed window, interval of checks, and how long a link must
  // be slow.
  static constexpr std::int64_t kWindowNs = 20'000'000'000;
  static constexpr std::int64_t kEveryNs = 5'000'000'000;
  static constexpr std::int64_t kLastingNs = 10'000'000'000;
  static constexpr std::size_t kMaxTransfers = 512;
  static constexpr std::size_t kMaxClasses = 512;

  // Ranks with slow transfers, and how slow.
  struct Slow {
    // Global ranks, and the group of the catalog of the slowest link.
    std::vector<std::uint32_t> ranks;
    std::uint32_t group = 0;
    // The slowest of their links.
    SlowTransfers worst;
    // Share of the time, from 0 to 1.
    double of_time = 0;
  };

  // Links that carry the same operations and are compared with each other.
  struct Class {
    ComparedLinks compared;
    // Only operations with a sequence number divisible by this are kept.
    std::uint64_t stride = 1;
    std::map<std::vector<std::uint32_t>, std::size_t> index;
  };
  // A link to which operations of a call contribute.
  struct LinkIndex {
    Class* of = nullptr;
    std::size_t link = 0;
  };

  // Returns the links to which one rank's operations of `call` contribute, for
  // add(). They stay valid. All ranks of the call must run on this host.
  // `members`: members of its group. Empty if transfers of the call are not
  // compared, or beyond a limit.
  std::vector<LinkIndex> linksOf(const StreamTable& table, const v1::Call& call,
                                 const MatchedCall& matched,
                                 const RankList& members);
  // Adds the transfer of the operation with sequence number `seq` in its group,
  // or in its pair of ranks. Ignores number 1, which includes the start of
  // processes. If a link is full, its class drops its transfers and keeps half
  // as many operations from then on.
  static void add(const std::vector<LinkIndex>& indices, std::uint64_t seq,
                  const Transfer& transfer);

  // Updates slow(), at most once per kEveryNs. `now_ns`: on the clock of the
  // transfers. If processes wait for CPUs (`starved`), discards all data and
  // reports nothing.
  void update(std::int64_t now_ns, bool starved);
  // Returns the slow links as of the last check, those with the fewest ranks
  // first.
  const std::vector<Slow>& slow() const { return slow_; }

 private:
  // Kind of link, what it carries, and the group or the size of groups if that
  // must be equal.
  using Key = std::tuple<ComparedLinks::Kind, std::string, std::uint32_t>;

  // Appends the link of `ranks` to `indices`, and adds it if it is new. Does
  // nothing beyond the limits on classes and links.
  void addLink(const Key& key, const std::string& op,
               std::vector<std::uint32_t> ranks, std::uint32_t group,
               std::vector<LinkIndex>& indices);
  // Drops transfers older than the window, and adds the slow links of a class
  // to slow_.
  void addSlow(Class& of, std::int64_t now_ns);
  // Drops slow pairs and groups that contain a slow rank or pair.
  void keepNarrowest();

  std::map<Key, Class> classes_;
  std::vector<Slow> slow_;
  std::int64_t updated_ns_ = 0;
};

}  // namespace traced
