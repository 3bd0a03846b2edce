// Collectives that were called alike, and how long each rank took for each.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/view/job_view.h"
#include "cli/common/json.h"

namespace traced::nccl_tests {

class Results {
 public:
  explicit Results(const JobView& view) : view_(view) {}

  void add(const MatchRow& row);
  // By group, operation and size.
  Json json() const;

  // Collectives that not all ranks of the file took part in, and those of which
  // a time is not known, or that have no bandwidth.
  std::uint64_t ofOthers() const { return of_others_; }
  std::uint64_t unmeasured() const { return unmeasured_; }

 private:
  // Label, operation, size, count, dtype, reduce op, root, in place.
  using Key = std::tuple<std::string, std::string, std::uint64_t, std::int64_t,
                         std::string, std::string, std::int64_t, bool>;
  struct Measured {
    double bus_factor = 0;
    // Of each rank, in microseconds.
    std::vector<std::vector<double>> times_us;
  };

  Json resultOf(const Key& key, const Measured& measured) const;

  const JobView& view_;
  std::map<Key, Measured> results_;
  std::uint64_t of_others_ = 0;
  std::uint64_t unmeasured_ = 0;
};

}  // namespace traced::nccl_tests
