// Trouble is an operation that did not come to its end on those who joined it:
// where a group, or a pair of ranks, stands still.

#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/diagnosis/diagnosis.h"
#include "analysis/diagnosis/job_state.h"
#include "analysis/diagnosis/verdict.h"

namespace traced {

struct Trouble {
  // Complete for an operation that stands alone; see wait_graph.h.
  JobVerdict verdict;
  // Who joined and has not ended; ascending.
  std::vector<std::uint32_t> inside;
  // Who is waited for and is known not to have joined.
  std::vector<std::uint32_t> missing;
  // Another finding explains it: it is told only as a part of that.
  bool explained = false;
};

// Judges whether a rank's trace can tell that an operation was not joined, and
// whether its absence matters.
class Knowledge {
 public:
  Knowledge(const JobState& job, const DiagnosisOptions& options);

  const JobState& job() const { return job_; }
  const DiagnosisOptions& options() const { return options_; }

  // The rank's own record of an operation, as far as its state holds it.
  const OperationRef* refOn(std::uint32_t rank, std::uint32_t group,
                            std::uint64_t seq, const RankPair& pair) const;
  // For how long a rank has been in an operation when the traces end, by
  // clocks that it shares.
  std::int64_t waitedNs(std::uint32_t rank, const OperationRef& ref) const;
  // How sure it is that a rank did not do what is not in its trace, given
  // that others waited for it since `since_ns`.
  Confidence absenceOf(const RankState& rank, const RankState& witness,
                       std::int64_t since_ns) const;
  // What a rank did instead of joining.
  std::string insteadText(std::uint32_t rank) const;

 private:
  const JobState& job_;
  const DiagnosisOptions& options_;
  // Per clock: the latest record.
  std::vector<std::int64_t> last_ns_;
};

// Of each group the first operation that stands still. `first_mismatch` has,
// by group, the number from which on its ranks disagree, 0 for none: what
// stands still there or later is explained by that.
std::vector<Trouble> findGroupTroubles(
    const Knowledge& knowledge,
    const std::vector<std::uint64_t>& first_mismatch, std::uint64_t& under_way);

// Of each pair: messages that differ are verdicts, those left over troubles.
struct PairFindings {
  std::vector<JobVerdict> verdicts;
  std::vector<Trouble> troubles;
};
PairFindings findPairTroubles(const Knowledge& knowledge);

// Sorted afterwards.
inline void addRanks(std::vector<std::uint32_t>& to,
                     const std::vector<std::uint32_t>& from) {
  to.insert(to.end(), from.begin(), from.end());
  std::sort(to.begin(), to.end());
}

}  // namespace traced
