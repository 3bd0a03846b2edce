// ProgramOrder tells who left the order in which the program makes its calls:
// by what most ranks of the same role called in this place, and where no
// majority tells, by what each rank called in it before.

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
  // Reads streams a second time, and only when it is asked.
  ProgramOrder(const JobState& job, const TraceSet& set)
      : job_(job), set_(set), reader_(job) {}

  struct Answer {
    // Those who left the order, and those who are known to be in it: ascending.
    std::vector<std::uint32_t> deviants;
    std::vector<std::uint32_t> followers;
    // Most ranks of the same role called something else in the same place.
    bool by_majority = false;
    std::vector<Fact> reasons;
  };
  // Whether the calls of any of these ranks are known.
  bool knows(const std::vector<std::uint32_t>& ranks) const;
  // Of ranks of which some must have. Without deviants the calls do not tell.
  Answer whoLeft(const std::vector<std::uint32_t>& suspects);
  // Of ranks that differ in one operation: what came after it tells nothing.
  Answer whoLeftAt(std::uint32_t group, std::uint64_t seq, const RankPair& pair,
                   const std::vector<std::uint32_t>& suspects);
  // Two threads of each of two ranks made two collectives of a group at once,
  // and in the opposite order: where the first rank made them.
  struct ThreadRace {
    std::string site, next_site;
  };
  std::optional<ThreadRace> threadRace(std::uint32_t group, std::uint64_t seq,
                                       std::uint32_t first,
                                       std::uint32_t second);
  // Of the collectives of a group, by call site. Absent where no call sites are
  // recorded.
  std::optional<SiteOrder> sitesOf(std::uint32_t group,
                                   const std::vector<std::uint32_t>& suspects);

 private:
  using Programs = std::map<std::uint32_t, ProgramCalls>;

  void read(const std::vector<std::uint32_t>& suspects);
  // nullptr where it is not known.
  const ProgramCall* collective(std::uint32_t rank, std::uint32_t group,
                                std::uint64_t seq) const;
  Answer judge(const Programs& programs,
               const std::vector<std::uint32_t>& suspects) const;
  void judgeFork(const ProgramFork& fork, Answer& answer) const;
  void judgeByMajority(const ProgramFork& fork,
                       const ProgramFork::Branch& majority,
                       Answer& answer) const;
  void judgeByHabit(const ProgramFork& fork, Answer& answer) const;
  void judgeAlone(const Programs& programs,
                  const std::vector<std::uint32_t>& suspects,
                  Answer& answer) const;
  void judgePlace(const ProgramCalls& program, std::size_t place,
                  Answer& answer) const;
  void take(Answer by_habit, Answer& answer) const;

  const JobState& job_;
  const TraceSet& set_;
  ProgramReader reader_;
  Programs programs_;
  // What a call has in common with the one of the time before. Sizes and roots
  // may change from step to step.
  std::uint32_t ProgramCall::*habitual_ = &ProgramCall::kind;
};

}  // namespace traced
