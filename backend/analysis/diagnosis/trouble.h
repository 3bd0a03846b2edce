// Trouble is an operation that did not come to its end on those who joined it:
// where a group, or a pair of ranks, stands still.

#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/diagnosis/diagnosis.h"
#include "analysis/diagnosis/job_state.h"
#include "analysis/diagnosis/verdict.h"

namespace traced {

struct Trouble {
  // Complete for an operation that stands alone; see wait_graph.h.
  JobVerdict verdict;
  // Who joined and has not ended; ascending. Of them those whose program does
  // not go on until it ends.
  std::vector<std::uint32_t> inside;
  std::vector<std::uint32_t> blocked;
  // Of them those whose thread may wait in another operation instead.
  std::vector<std::uint32_t> perhaps;
  // Who is waited for and is known not to have joined.
  std::vector<std::uint32_t> missing;
  // Of those inside, when they issued it.
  absl::flat_hash_map<std::uint32_t, std::int64_t> issued_ns;
  // It may be carried out behind what one of these issued before it, and the
  // records do not tell.
  bool may_be_held_up = false;
  bool some_ended = false;
  // Who ended it and waits in a later one of the group, for those inside.
  std::vector<std::uint32_t> waiting_behind;
  // Who is waited for and left nothing, where all the others left a dump.
  std::vector<std::uint32_t> without_dump;
  // Nothing shows that it stands still by itself.
  bool isHeldUpAtMost() const {
    return may_be_held_up && missing.empty() && !some_ended;
  }
  // Nobody is missing, and all those inside may wait in another one instead.
  bool isPerhaps() const {
    return missing.empty() && !inside.empty() && perhaps == inside;
  }
  // It ends on nobody before all of these have joined.
  bool needs_all = false;
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
    return !tellsAges() || waited_ns >= options_.hung_after_ns;
  }
  // Whether so few of the job's processes left no dump that these are to be
  // asked for: a process that lives leaves one.
  bool expectsDumps(std::uint32_t group) const;
  bool tellsAges() const { return job_.evidence.has(Evidence::kAges); }
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
  // What a rank did instead of joining.
  std::string insteadText(std::uint32_t rank) const;

 private:
  const JobState& job_;
  const DiagnosisOptions& options_;
  // Per clock: until when a rank is known to have lived.
  std::vector<std::int64_t> last_ns_;
};

// Of each group the first operation that stands still; `aborted` gets those
// that were aborted before they could. `first_mismatch` has,
// by group, the number from which on its ranks disagree, 0 for none: what
// stands still there or later is explained by that.
std::vector<Trouble> findGroupTroubles(
    const Knowledge& knowledge,
    const std::vector<std::uint64_t>& first_mismatch, std::uint64_t& under_way,
    std::vector<JobVerdict>& aborted);

// Of each pair: messages that differ are verdicts, those left over troubles.
struct PairFindings {
  std::vector<JobVerdict> verdicts;
  std::vector<Trouble> troubles;
};
PairFindings findPairTroubles(const Knowledge& knowledge);

// Of dumps: messages under way that bear no number by which their other side
// could be found. A pair of ranks whose dumps hold all messages has numbers.
std::vector<Trouble> findPendingMessages(const Knowledge& knowledge);
bool hasNumbers(const JobState& job, std::uint32_t source,
                std::uint32_t destination);

// Sorted afterwards.
inline void addRanks(std::vector<std::uint32_t>& to,
                     const std::vector<std::uint32_t>& from) {
  to.insert(to.end(), from.begin(), from.end());
  std::sort(to.begin(), to.end());
}

}  // namespace traced
