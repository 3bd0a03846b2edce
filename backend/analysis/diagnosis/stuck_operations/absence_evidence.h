// Knowledge judges whether a rank's trace can tell that an operation was not
// joined, and whether its absence matters.

#pragma once

#include <cstdint>
#include <vector>

#include "analysis/diagnosis/job_state/job_state.h"
#include "analysis/diagnosis/verdicts/verdict.h"

namespace traced {

class AbsenceEvidence {
 public:
  AbsenceEvidence(const JobState& job, const DiagnosisOptions& options);

  const JobState& job() const { return job_; }
  const DiagnosisOptions& options() const { return options_; }

  // The rank's own record of an operation, as far as its state holds it.
  const OperationRef* refOn(std::uint32_t rank, std::uint32_t group,
                            std::uint64_t seq, const RankPair& pair) const;
  // The same of a collective, or else of one that it called behind it, which
  // nobody would have seen end: it came to this one by then.
  const OperationRef* refAtOrBehind(std::uint32_t rank, std::uint32_t group,
                                    std::uint64_t seq) const;
  // For how long a rank had been in an operation when it was last known to
  // live; where its end is not known, when those were that share its clock.
  std::int64_t waitedNs(std::uint32_t rank, const OperationRef& ref) const;
  // Whether what has been under way for so long stands still. A source that
  // does not tell the age of what was under way is a dump, and dumps are made
  // of what stands still.
  bool standsStill(std::int64_t waited_ns) const {
    return !knowsAges() || waited_ns >= options_.hung_after_ns;
  }
  // Whether so few of the job's processes left no dump that these are to be
  // asked for: a process that lives leaves one.
  bool expectsDumps(std::uint32_t group) const;
  bool knowsAges() const {
    return job_.capabilities.has(SourceCapability::kAges);
  }
  // How sure it is that a rank did not do what is not in its trace, given
  // that others waited for it since `since_ns`.
  Confidence absenceOf(const RankState& rank, const RankState& witness,
                       std::int64_t since_ns) const;
  // Whether what a rank did is known for so long after an instant that whatever
  // began then stands still.
  bool isKnownAfter(const RankState& rank, std::int64_t since_ns) const;
  // Those of some ranks whose program waits in an operation that has not ended.
  std::vector<std::uint32_t> blockedIn(const std::vector<std::uint32_t>& ranks,
                                       std::uint32_t group, std::uint64_t seq,
                                       const RankPair& pair) const;
  // Those of them that are only perhaps inside, as far as is known.
  std::vector<std::uint32_t> perhapsIn(const std::vector<std::uint32_t>& ranks,
                                       std::uint32_t group, std::uint64_t seq,
                                       const RankPair& pair) const;
  // What a rank did instead of joining, or that it has no trace.
  Fact insteadOf(std::uint32_t rank) const;

 private:
  const JobState& job_;
  const DiagnosisOptions& options_;
  // Per clock: until when a rank is known to have lived.
  std::vector<std::int64_t> last_ns_;
};

}  // namespace traced
