// Where the programs of two ranks agree, and the places in which programs that
// were one part: what each rank called next.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/diagnosis/program/program_calls.h"

namespace traced {

// A stretch of calls that both made one after the other.
struct Agreement {
  // In the one that is compared with: [begin, end).
  std::size_t begin = 0;
  std::size_t end = 0;
  // The same end in the other.
  std::size_t other_end = 0;

  bool covers(std::size_t index) const { return index >= begin && index < end; }
};

// One program that others are compared with; it outlives this.
class ProgramIndex {
 public:
  explicit ProgramIndex(const ProgramCalls& program);

  const ProgramCalls& program() const { return program_; }
  // In the order of the other's calls.
  std::vector<Agreement> agreementsWith(const ProgramCalls& other) const;

 private:
  const ProgramCalls& program_;
  // By role and number.
  absl::flat_hash_map<std::pair<std::uint32_t, std::uint64_t>, std::size_t>
      place_;
};

// A place in which programs that were one part.
struct ProgramFork {
  // A rank that has come to the place, which is after one of its calls.
  struct Visitor {
    const ProgramCalls* program = nullptr;
    std::size_t place = 0;
  };
  // Those who called the same next.
  struct Branch {
    ProgramCall next;
    std::vector<Visitor> visitors;
  };

  ProgramCall after;
  std::vector<Branch> branches;

  void add(const ProgramCalls& program, std::size_t place);
};

// Compares the programs of a job, by rank; they outlive it.
class ForkFinder {
 public:
  explicit ForkFinder(const std::map<std::uint32_t, ProgramCalls>& programs)
      : programs_(programs) {}

  // Visits the places where others part with a rank for the last time. Ranks
  // are compared in the roles that they have in common.
  using Visit = std::function<void(const ProgramFork&)>;
  void forEachFork(std::uint32_t rank, const Visit& visit);

 private:
  using Roles = std::vector<std::uint32_t>;

  std::set<Roles> commonRolesOf(const ProgramCalls& own) const;
  static void findForks(const ProgramCalls& own,
                        const std::vector<const ProgramCalls*>& others,
                        const Visit& visit);
  const ProgramCalls* inRoles(const ProgramCalls& program, const Roles& roles);

  const std::map<std::uint32_t, ProgramCalls>& programs_;
  // Programs in some of their roles, as long as they are compared.
  std::deque<ProgramCalls> parts_;
};

}  // namespace traced
