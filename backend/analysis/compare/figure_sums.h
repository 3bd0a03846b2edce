// FigureSums adds up the operations of a run, per key and stretch.

#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/compare/run_figures.h"
#include "analysis/compare/stretches.h"

namespace traced {

// Known times of one operation, in ns.
struct OperationTimes {
  std::array<std::optional<double>, kRunParts> parts;
  std::optional<double> ahead;
  // Time from issue to end, for bytes in flight.
  std::optional<double> under_way;
  double uncertain = 0;
};

// Not thread safe. Memory: a cell per key and stretch that has operations.
class FigureSums {
 public:
  // Returns the number of a key, adding it if needed. Returns nullopt beyond
  // kMaxKeys: leave the operation out then.
  std::optional<std::uint32_t> keyOf(const RunKey& key);
  // Counts an operation that keyOf() refused.
  void leaveOut() { ++left_out_; }
  // Adds time of a rank that operations of all keys cover together, overlaps
  // counted once. The total is based on it.
  void addCovered(std::uint32_t stretch, RunPart part, double ns) {
    covered_[stretch].parts[static_cast<std::size_t>(part)].add(ns);
  }

  void add(std::uint32_t key, std::uint32_t stretch, std::uint64_t bytes,
           const OperationTimes& times);
  // Adds time for which a rank waited for `rank` in operations of a key, or of
  // all keys together, in ns. Overlaps are counted once.
  void addCaused(std::uint32_t key, std::uint32_t rank, double ns) {
    sums_[key].caused_ns[rank] += ns;
  }
  void addCausedInAll(std::uint32_t rank, double ns) { caused_ns_[rank] += ns; }
  // Adds the time that `rank` computed before a call, in ns.
  void addComputed(std::uint32_t key, std::uint32_t rank,
                   std::optional<double> ns) {
    if (ns) sums_[key].computed[rank].add(ns);
  }
  void addSite(std::uint32_t key, const std::string& site) {
    ++sums_[key].sites[site];
  }

  // Adds the sums of another instance with the same stretches. Leaves out its
  // keys beyond kMaxKeys.
  void add(const FigureSums& others);

  // Returns how many operations were left out.
  std::uint64_t leftOut() const { return left_out_; }
  // Stores keys and totals in `figures`.
  void finish(const Stretches& stretches, RunFigures& figures) const;

 private:
  struct Sum {
    double ns = 0;
    std::uint64_t count = 0;

    void add(const std::optional<double>& value) {
      if (!value) return;
      ns += *value;
      ++count;
    }
    void add(const Sum& other) {
      ns += other.ns;
      count += other.count;
    }
  };
  struct Cell {
    std::array<Sum, kRunParts> parts;
    Sum ahead;
    double byte_ns = 0;
    double uncertain_ns = 0;
    std::uint64_t calls = 0;

    void add(const Cell& other);
  };
  struct OfKey {
    RunKey key;
    absl::flat_hash_map<std::uint32_t, Cell> cells;
    std::uint64_t calls = 0;
    std::uint64_t bytes = 0;
    std::map<std::uint32_t, double> caused_ns;
    std::map<std::uint32_t, Sum> computed;
    absl::flat_hash_map<std::string, std::uint64_t> sites;

    void add(const OfKey& other);
  };

  static KeyFigures figuresOf(const OfKey& sums, const Stretches& stretches);
  // Returns the most frequent call site, or "" if none is known.
  static std::string commonest(const OfKey& sums);
  void addTotal(const Stretches& stretches, RunFigures& figures) const;

  std::vector<OfKey> sums_;
  std::map<RunKey, std::uint32_t> index_by_key_;
  absl::flat_hash_map<std::uint32_t, Cell> covered_;
  std::map<std::uint32_t, double> caused_ns_;
  std::uint64_t left_out_ = 0;
};

}  // namespace traced
