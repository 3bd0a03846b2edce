// Finds where the programs of two ranks agree, and the forks at which programs
// that agreed continue differently.

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

// A maximal run of consecutive calls that both programs made.
struct Agreement {
  // Indices [begin, end) in the indexed program.
  std::size_t begin = 0;
  std::size_t end = 0;
  // The index of the same end in the other program.
  std::size_t other_end = 0;

  bool covers(std::size_t index) const { return index >= begin && index < end; }
};

// ProgramIndex indexes one program to compare others with it. The program must
// outlive the index.
class ProgramIndex {
 public:
  explicit ProgramIndex(const ProgramCalls& program);

  const ProgramCalls& program() const { return program_; }
  // Returns the agreements in the order of the other's calls.
  std::vector<Agreement> agreementsWith(const ProgramCalls& other) const;

 private:
  const ProgramCalls& program_;
  // Index of a call by role and number.
  absl::flat_hash_map<std::pair<std::uint32_t, std::uint64_t>, std::size_t>
      place_;
};

// A place after which programs that agreed continue differently.
struct ProgramFork {
  // A rank that reached the place. `place` is the index of the call before it.
  struct Visitor {
    const ProgramCalls* program = nullptr;
    std::size_t place = 0;
  };
  // The ranks whose next call is the same.
  struct Branch {
    ProgramCall next;
    std::vector<Visitor> visitors;
  };

  ProgramCall after;
  std::vector<Branch> branches;

  // Adds a visitor to the branch of its call after `place`. Ignores a visitor
  // without one.
  void add(const ProgramCalls& program, std::size_t place);
};

// ForkFinder compares the programs of a job, by rank. `programs` must outlive
// it.
class ForkFinder {
 public:
  explicit ForkFinder(const std::map<std::uint32_t, ProgramCalls>& programs)
      : programs_(programs) {}

  // Calls `visit` for each place where another rank parts with `rank` for the
  // last time. Ranks are compared only in the roles that they share.
  using Visit = std::function<void(const ProgramFork&)>;
  void forEachFork(std::uint32_t rank, const Visit& visit);

 private:
  using Roles = std::vector<std::uint32_t>;

  // Returns distinct sets of roles that other ranks share with `own`, at most a
  // fixed number.
  std::set<Roles> commonRolesOf(const ProgramCalls& own) const;
  // Finds the forks of `own` and `others`, all reduced to the same roles.
  static void findForks(const ProgramCalls& own,
                        const std::vector<const ProgramCalls*>& others,
                        const Visit& visit);
  // Returns the program reduced to `roles`.
  const ProgramCalls* inRoles(const ProgramCalls& program, const Roles& roles);

  const std::map<std::uint32_t, ProgramCalls>& programs_;
  // Programs reduced to some roles. Valid during one comparison.
  std::deque<ProgramCalls> parts_;
};

}  // namespace traced
