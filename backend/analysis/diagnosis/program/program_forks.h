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

// A maximal run of consecutive calls that two programs made alike: equal roles,
// numbers within the role, and arguments.
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
  // Returns all agreements with `other`, in the order of its calls. Both
  // programs must come from one ProgramReader.
  std::vector<Agreement> agreementsWith(const ProgramCalls& other) const;

 private:
  const ProgramCalls& program_;
  // Index of a call by role and number within the role.
  absl::flat_hash_map<std::pair<std::uint32_t, std::uint64_t>, std::size_t>
      place_;
};

// A fork: programs that agreed up to a call make different calls after it.
struct ProgramFork {
  // A rank that reached the fork. `place` is the index of the call before the
  // fork.
  struct Visitor {
    const ProgramCalls* program = nullptr;
    std::size_t place = 0;
  };
  // The ranks whose next call is the same.
  struct Branch {
    ProgramCall next;
    std::vector<Visitor> visitors;
  };

  // The last call that all have in common.
  ProgramCall after;
  std::vector<Branch> branches;

  // Adds a rank to the branch of its call after index `place`. Ignores it if
  // `place` is its last call. `program` must outlive the fork.
  void add(const ProgramCalls& program, std::size_t place);
};

// ForkFinder compares the programs of a job, by rank. `programs` must outlive
// it.
class ForkFinder {
 public:
  explicit ForkFinder(const std::map<std::uint32_t, ProgramCalls>& programs)
      : programs_(programs) {}

  // Calls `visit` for each fork at which another rank last parted from `rank`.
  // Only calls of groups whose role both ranks have are compared. `rank` must
  // have a program. The fork is valid during the call of `visit`.
  using Visit = std::function<void(const ProgramFork&)>;
  void forEachFork(std::uint32_t rank, const Visit& visit);

 private:
  // Roles of groups, ascending. See ProgramCalls::roles.
  using Roles = std::vector<std::uint32_t>;

  // For each other rank, takes the roles that it shares with `own`. Returns the
  // distinct sets that are not empty, at most 8: the comparison runs once per
  // set.
  std::set<Roles> commonRolesOf(const ProgramCalls& own) const;
  // Calls `visit` for the forks of `own` and `others`, all of which must be
  // reduced to the same roles.
  static void findForks(const ProgramCalls& own,
                        const std::vector<const ProgramCalls*>& others,
                        const Visit& visit);
  // Returns the program with only the calls of groups with `roles`. The pointer
  // is valid until parts_ is cleared.
  const ProgramCalls* inRoles(const ProgramCalls& program, const Roles& roles);

  const std::map<std::uint32_t, ProgramCalls>& programs_;
  // Programs reduced to some roles. Valid during one comparison.
  std::deque<ProgramCalls> parts_;
};

}  // namespace traced
