// ProgramOrder finds the ranks that left the program's order of calls. It
// compares with what most ranks of the same role called at this place. Without
// a majority, it compares with each rank's earlier calls there.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/diagnosis/job_state/job_state.h"
#include "analysis/diagnosis/program/program_calls.h"
#include "analysis/diagnosis/program/program_forks.h"
#include "analysis/diagnosis/program/program_habit.h"
#include "analysis/diagnosis/program/site_order.h"
#include "analysis/reading/trace_set.h"

namespace traced {

class ProgramOrder {
 public:
  // Reads streams a second time, but only on demand.
  ProgramOrder(const JobState& job, const TraceSet& set)
      : job_(job), set_(set), reader_(job) {}

  struct Answer {
    // Ranks that left the order, and ranks known to follow it. Both ascending.
    std::vector<std::uint32_t> deviants;
    std::vector<std::uint32_t> followers;
    // Most ranks of the same role called something else at the same place.
    bool by_majority = false;
    std::vector<Fact> reasons;
  };
  // Returns whether the calls of any of these ranks are known. Does not read
  // streams: call deviants() or another function with these ranks before.
  bool knows(const std::vector<std::uint32_t>& ranks) const;
  // Finds which of the suspects left the order. No deviants means that the
  // calls do not show it.
  Answer deviants(const std::vector<std::uint32_t>& suspects);
  // Like deviants(), for ranks that differ in one operation. Ignores calls
  // after it, and compares sizes and roots too.
  Answer deviantsAt(std::uint32_t group, std::uint64_t seq,
                    const RankPair& pair,
                    const std::vector<std::uint32_t>& suspects);
  // Call sites of two collectives of a group that two threads of each rank
  // issued concurrently, in opposite orders on two ranks. `site` is the first
  // one's on the first rank.
  struct ThreadRace {
    std::string site, next_site;
  };
  // Checks collective `seq` and the next one on two ranks. Absent if they show
  // no race.
  std::optional<ThreadRace> threadRace(std::uint32_t group, std::uint64_t seq,
                                       std::uint32_t first,
                                       std::uint32_t second);
  // Returns the order of the group's collectives by call site. Absent if no
  // call sites are recorded.
  std::optional<SiteOrder> sitesOf(std::uint32_t group,
                                   const std::vector<std::uint32_t>& suspects);

 private:
  using Programs = std::map<std::uint32_t, ProgramCalls>;

  void read(const std::vector<std::uint32_t>& suspects);
  // Returns nullptr if it is unknown.
  const ProgramCall* collective(std::uint32_t rank, std::uint32_t group,
                                std::uint64_t seq) const;
  // Compares the suspects with all programs.
  Answer judge(const Programs& programs,
               const std::vector<std::uint32_t>& suspects) const;
  // Judges a fork by its majority, or by habit if it has none.
  void judgeFork(const ProgramFork& fork, Answer& answer) const;
  void judgeByMajority(const ProgramFork& fork,
                       const ProgramFork::Branch& majority,
                       Answer& answer) const;
  void judgeByHabit(const ProgramFork& fork, Answer& answer) const;
  void judgeAlone(const Programs& programs,
                  const std::vector<std::uint32_t>& suspects,
                  Answer& answer) const;
  // Compares the call after calls[place] of one program with its earlier calls
  // there. Adds the rank to the followers or deviants, or to neither if it has
  // no habit there.
  void judgePlace(const ProgramCalls& program, std::size_t place,
                  Answer& answer) const;
  // Adds an answer from habits, but only if some rank kept its habit.
  void take(Answer by_habit, Answer& answer) const;

  const JobState& job_;
  const TraceSet& set_;
  ProgramReader reader_;
  Programs programs_;
  // The field that identifies a repeated call. `kind` ignores sizes and roots,
  // which may change between steps.
  std::uint32_t ProgramCall::*habitual_ = &ProgramCall::kind;
};

}  // namespace traced
