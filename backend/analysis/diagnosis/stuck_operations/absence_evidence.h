// AbsenceEvidence judges whether a rank's trace proves that the rank did not
// join an operation, and whether the absence matters.

#pragma once

#include <cstdint>
#include <vector>

#include "analysis/diagnosis/job_state/job_state.h"
#include "analysis/diagnosis/verdicts/verdict.h"

namespace traced {

class AbsenceEvidence {
 public:
  // Both arguments must outlive this object. All ranks must have been added to
  // `job`.
  AbsenceEvidence(const JobState& job, const DiagnosisOptions& options);

  const JobState& job() const { return job_; }
  const DiagnosisOptions& options() const { return options_; }

  // Returns the rank's own record of an operation, or nullptr if the rank's
  // state does not hold it.
  const OperationRef* refOn(std::uint32_t rank, std::uint32_t group,
                            std::uint64_t seq, const RankPair& pair) const;
  // Returns the rank's record of the collective. Otherwise returns that of a
  // later one in the group whose end could not be observed, which proves that
  // the rank reached this one. nullptr if neither exists.
  const OperationRef* refAtOrAfter(std::uint32_t rank, std::uint32_t group,
                                   std::uint64_t seq) const;
  // Returns how long a rank had been in an operation when it was last known to
  // live, or when the operation was cut off. If the rank's end is unknown, uses
  // the latest instant of the ranks on its clock. 0 for a rank without a trace.
  std::int64_t waitedNs(std::uint32_t rank, const OperationRef& ref) const;
  // Returns whether an operation that is pending for `waited_ns` is stuck.
  // Sources without ages are dumps, and dumps are made of stuck jobs, so all of
  // theirs count.
  bool isStuck(std::int64_t waited_ns) const {
    return !knowsAges() || waited_ns >= options_.hung_after_ns;
  }
  // Returns whether a missing dump is evidence: at most a quarter of the job's
  // processes left none, or of the group's if the job's size is unknown. A live
  // process leaves a dump. False if the source knows ages.
  bool expectsDumps(std::uint32_t group) const;
  // Returns whether the traces show for how long an operation was pending. See
  // SourceCapability::kAges.
  bool knowsAges() const {
    return job_.capabilities.has(SourceCapability::kAges);
  }
  // Returns how certain it is that a rank did not do what its trace lacks.
  // `witness` has waited for it since `since_ns`.
  Confidence absenceOf(const RankState& rank, const RankState& witness,
                       std::int64_t since_ns) const;
  // Returns whether the rank's trace reaches so far beyond `since_ns` that an
  // operation begun then counts as stuck.
  bool isKnownAfter(const RankState& rank, std::int64_t since_ns) const;
  // Returns those of `ranks` whose program is blocked in the operation, which
  // has not ended.
  std::vector<std::uint32_t> blockedIn(const std::vector<std::uint32_t>& ranks,
                                       std::uint32_t group, std::uint64_t seq,
                                       const RankPair& pair) const;
  // Returns those of `ranks` that are only perhaps inside the operation.
  std::vector<std::uint32_t> perhapsIn(const std::vector<std::uint32_t>& ranks,
                                       std::uint32_t group, std::uint64_t seq,
                                       const RankPair& pair) const;
  // Returns what a rank did instead of joining, or that it has no trace.
  Fact insteadOf(std::uint32_t rank) const;

 private:
  const JobState& job_;
  const DiagnosisOptions& options_;
  // Per clock, until when some rank is known to have lived.
  std::vector<std::int64_t> last_ns_;
};

}  // namespace traced
