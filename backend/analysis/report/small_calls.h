// SmallCalls finds lines of the program that issue many small operations in
// quick succession, which fewer larger operations could replace.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/figures/samples.h"
#include "analysis/stream/stream_table.h"

namespace traced {

// The calls of one operation at one line.
struct SmallCallSite {
  // Such as "/job/train.py:31 in step", and "all_reduce".
  std::string site;
  std::string op;
  std::uint64_t ranks = 0;
  std::uint64_t calls = 0;
  // Number of steps with such calls, over the ranks on which these are most of
  // the marked steps.
  std::uint64_t steps = 0;
  // Calls issued sooner after the return of the previous one, at the same line,
  // than that one took.
  std::uint64_t quick = 0;
  // Time that they blocked the program, without waiting for peers.
  std::uint64_t cost_ns = 0;
  // Sizes and their numbers of calls.
  Weighted bytes;
  double p50_bytes = 0;

  void add(const SmallCallSite& other);
};

// Not thread safe.
class SmallCalls {
 public:
  // A site counts from this number of quick calls per rank, if they are at
  // least half of its calls and the median size is at most kMaxBytes.
  static constexpr std::uint64_t kMinQuick = 100;
  static constexpr double kMaxBytes = 64 << 10;
  // Minimum part of the run.
  static constexpr double kMinPart = 0.01;

  // Adds up one stream.
  class OfStream {
   public:
    explicit OfStream(const StreamTable& table) : table_(table) {}
    // Operations must be added in order. `call` must be that of `op`.
    void add(const AssembledOperation& op, const v1::Call& call,
             std::uint64_t cost_ns);

   private:
    friend class SmallCalls;
    struct Sums {
      std::uint64_t calls = 0;
      std::uint64_t quick = 0;
      std::uint64_t cost_ns = 0;
    };

    const StreamTable& table_;
    // By call and stack.
    absl::flat_hash_map<std::pair<std::uint32_t, std::uint32_t>, Sums> sums_;
    // The stack of the previous operation, when it returned and how long it
    // took.
    std::uint32_t stack_ = 0;
    Instant returned_;
    std::uint64_t took_ns_ = 0;
  };

  void add(const OfStream& stream);
  void add(const SmallCalls& other);
  // Returns the sites that count, most costly first. `rank_time_ns`: time of
  // all ranks.
  std::vector<SmallCallSite> finish(std::uint64_t rank_time_ns) &&;

 private:
  std::map<std::pair<std::string, std::string>, SmallCallSite> sites_;
};

}  // namespace traced
