#include "analysis/diagnosis/program/program_order.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "analysis/diagnosis/stuck_operations/stuck_operation.h"
#include "analysis/reading/stream_reader.h"

namespace traced {
namespace {

using Ranks = std::vector<std::uint32_t>;

// Maximum number of ranks to compare: the suspects and a sample of others.
constexpr std::size_t kMaxPrograms = 256;
// Maximum number of programs in memory, about 300 KiB each.
constexpr std::size_t kMaxKept = 1024;
// Maximum number of suspects that are compared with all others.
constexpr std::size_t kMaxRequested = 8;
// Number of last calls to judge for a rank that is comparable with no other.
constexpr std::size_t kLastCalls = 8;

Ranks ascending(Ranks ranks) {
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

bool hasRank(const Ranks& ranks, std::uint32_t rank) {
  return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

// Ascending.
Ranks ranksOf(const ProgramFork::Branch& branch) {
  Ranks ranks;
  for (const ProgramFork::Visitor& visitor : branch.visitors) {
    ranks.push_back(visitor.program->rank);
  }
  return ascending(std::move(ranks));
}

// Returns whether all ranks of a branch made its call in the same group.
bool areInOneGroup(const ProgramFork::Branch& branch) {
  return std::all_of(branch.visitors.begin(), branch.visitors.end(),
                     [&](const ProgramFork::Visitor& visitor) {
                       const auto& calls = visitor.program->calls;
                       return calls[visitor.place + 1].group ==
                              branch.next.group;
                     });
}

}  // namespace

// Reads the programs of the suspects, and of others at even distances from the
// first to the last rank. Skips incomplete traces and dumps, which may lack
// calls.
void ProgramOrder::read(const Ranks& suspects) {
  std::set<std::uint32_t> wanted;
  const auto want = [&](std::uint32_t rank) {
    if (wanted.size() < kMaxPrograms) wanted.insert(rank);
  };
  for (const std::uint32_t rank : suspects) want(rank);
  const std::size_t stride = 1 + job_.ranks.size() / kMaxPrograms;
  for (std::size_t i = 0; i < job_.ranks.size(); i += stride) {
    want(job_.ranks[i].rank);
  }
  std::vector<std::size_t> streams;
  for (const std::size_t i : set_.selected) {
    const std::uint32_t rank = set_.streams[i].header.rank();
    const RankState* state = job_.rank(rank);
    const bool isEvidence = state && state->whole() &&
                            job_.capabilities.has(SourceCapability::kWaits);
    const bool fits = programs_.size() + streams.size() < kMaxKept;
    if (isEvidence && fits && wanted.contains(rank) &&
        !programs_.contains(rank)) {
      streams.push_back(i);
    }
  }
  readStreams(set_, streams, readingThreads(set_),
              [this](std::size_t, const StreamTable& table) {
                programs_[table.header.rank()] = reader_.read(table);
              });
}

bool ProgramOrder::knows(const Ranks& ranks) const {
  return std::any_of(ranks.begin(), ranks.end(), [this](std::uint32_t rank) {
    return programs_.contains(rank);
  });
}

ProgramOrder::Answer ProgramOrder::deviants(const Ranks& suspects) {
  read(suspects);
  habitual_ = &ProgramCall::kind;
  return judge(programs_, suspects);
}

ProgramOrder::Answer ProgramOrder::deviantsAt(std::uint32_t group,
                                              std::uint64_t seq,
                                              const RankPair& pair,
                                              const Ranks& suspects) {
  read(suspects);
  Programs until = programs_;
  for (auto& [rank, program] : until) {
    std::vector<ProgramCall>& calls = program.calls;
    const auto found =
        std::find_if(calls.begin(), calls.end(), [&](const ProgramCall& call) {
          return call.group == group && call.seq == seq && call.pair == pair;
        });
    if (found != calls.end()) calls.erase(found + 1, calls.end());
  }
  habitual_ = &ProgramCall::word;
  return judge(until, suspects);
}

std::optional<SiteOrder> ProgramOrder::sitesOf(std::uint32_t group,
                                               const Ranks& suspects) {
  const bool isEvidence =
      std::any_of(job_.ranks.begin(), job_.ranks.end(),
                  [](const RankState& state) { return state.has_sites; });
  if (!isEvidence) return std::nullopt;
  read(suspects);
  return SiteOrder(job_, reader_, programs_, group);
}

const ProgramCall* ProgramOrder::collective(std::uint32_t rank,
                                            std::uint32_t group,
                                            std::uint64_t seq) const {
  const auto program = programs_.find(rank);
  if (program == programs_.end()) return nullptr;
  for (const ProgramCall& call : program->second.calls) {
    if (call.group == group && call.seq == seq && !call.pair) return &call;
  }
  return nullptr;
}

std::optional<ProgramOrder::ThreadRace> ProgramOrder::threadRace(
    std::uint32_t group, std::uint64_t seq, std::uint32_t first,
    std::uint32_t second) {
  read({first, second});
  const ProgramCall* a = collective(first, group, seq);
  const ProgramCall* b = collective(second, group, seq);
  const ProgramCall* next_a = collective(first, group, seq + 1);
  const ProgramCall* next_b = collective(second, group, seq + 1);
  if (!a || !b || !next_a || !next_b) return std::nullopt;
  const auto are_same = [](const ProgramCall& one, const ProgramCall& other) {
    return one.word == other.word && one.site == other.site;
  };
  const bool race = a->word != b->word && are_same(*a, *next_b) &&
                    are_same(*b, *next_a) && next_a->beside_another &&
                    next_b->beside_another;
  if (!race) return std::nullopt;
  return ThreadRace{reader_.siteText(a->site), reader_.siteText(next_a->site)};
}

ProgramOrder::Answer ProgramOrder::judge(const Programs& programs,
                                         const Ranks& suspects) const {
  Answer answer;
  Ranks compared;
  std::size_t asked = 0;
  ForkFinder finder(programs);
  for (const std::uint32_t rank : suspects) {
    if (!programs.contains(rank) || hasRank(compared, rank)) continue;
    if (++asked > kMaxRequested) break;
    finder.forEachFork(rank, [&](const ProgramFork& fork) {
      for (const ProgramFork::Branch& branch : fork.branches) {
        addRanks(compared, ranksOf(branch));
      }
      judgeFork(fork, answer);
    });
  }
  std::erase_if(answer.deviants,
                [&](std::uint32_t rank) { return !hasRank(suspects, rank); });
  if (answer.deviants.empty()) {
    answer.by_majority = false;
    answer.reasons.clear();
    judgeAlone(programs, suspects, answer);
  }
  answer.deviants = ascending(std::move(answer.deviants));
  answer.followers = ascending(std::move(answer.followers));
  std::erase_if(answer.followers, [&](std::uint32_t rank) {
    return hasRank(answer.deviants, rank);
  });
  // If everybody deviates, no order exists.
  if (answer.deviants.size() == suspects.size()) answer.deviants.clear();
  return answer;
}

void ProgramOrder::judgeFork(const ProgramFork& fork, Answer& answer) const {
  std::size_t all = 0;
  for (const auto& branch : fork.branches) all += branch.visitors.size();
  for (const auto& branch : fork.branches) {
    const std::size_t count = branch.visitors.size();
    if (2 * count > all && count > 1) {
      return judgeByMajority(fork, branch, answer);
    }
  }
  judgeByHabit(fork, answer);
}

void ProgramOrder::judgeByMajority(const ProgramFork& fork,
                                   const ProgramFork::Branch& majority,
                                   Answer& answer) const {
  const Ranks many = ranksOf(majority);
  addRanks(answer.followers, many);
  for (const ProgramFork::Branch& branch : fork.branches) {
    if (&branch == &majority) continue;
    const Ranks few = ranksOf(branch);
    const bool is_new = std::any_of(few.begin(), few.end(), [&](auto rank) {
      return !hasRank(answer.deviants, rank);
    });
    addRanks(answer.deviants, few);
    answer.by_majority = true;
    if (!is_new) continue;
    answer.reasons.push_back(ContinuedDifferently{
        reader_.pointOf(fork.after), few, reader_.pointOf(branch.next), many,
        reader_.wordOf(majority.next, !areInOneGroup(majority))});
  }
}

// Blames ranks that broke their own habit at the fork, if others kept theirs.
void ProgramOrder::judgeByHabit(const ProgramFork& fork, Answer& answer) const {
  Answer by_habit;
  for (const ProgramFork::Branch& branch : fork.branches) {
    for (const auto& [program, place] : branch.visitors) {
      judgePlace(*program, place, by_habit);
    }
  }
  take(std::move(by_habit), answer);
}

void ProgramOrder::judgePlace(const ProgramCalls& program, std::size_t place,
                              Answer& answer) const {
  const auto habit = habitAt(program, place, habitual_);
  if (!habit) return;
  if (habit->same > 0) {
    answer.followers.push_back(program.rank);
  } else {
    answer.deviants.push_back(program.rank);
    answer.reasons.push_back(
        BrokeHabit{reader_.pointOf(program.calls[place]), program.rank,
                   reader_.pointOf(program.calls[place + 1]), habit->times,
                   reader_.wordOf(program.calls[habit->last_time + 1])});
  }
}

// Uses the answer only if a rank kept its habit: otherwise habits prove
// nothing.
void ProgramOrder::take(Answer by_habit, Answer& answer) const {
  if (by_habit.followers.empty()) return;
  addRanks(answer.followers, by_habit.followers);
  addRanks(answer.deviants, by_habit.deviants);
  std::move(by_habit.reasons.begin(), by_habit.reasons.end(),
            std::back_inserter(answer.reasons));
}

// Judges suspects by their own history only, in the calls since they were last
// at the place of their last call. Ignores ends of programs if most ended.
void ProgramOrder::judgeAlone(const Programs& programs, const Ranks& suspects,
                              Answer& answer) const {
  std::vector<const ProgramCalls*> known;
  for (const std::uint32_t rank : suspects) {
    const auto found = programs.find(rank);
    if (found == programs.end() || found->second.calls.size() < 3) continue;
    known.push_back(&found->second);
  }
  const auto ended =
      std::count_if(known.begin(), known.end(),
                    [](const auto* each) { return each->hasEnded(); });
  const bool most_ended = 2 * static_cast<std::size_t>(ended) > known.size();
  Answer alone;
  for (const ProgramCalls* program : known) {
    const bool leaves_out_end = most_ended && program->hasEnded();
    const std::size_t end = program->calls.size() - (leaves_out_end ? 2 : 1);
    const auto habit = habitAt(*program, end - 1, habitual_);
    const std::size_t since = habit ? habit->last_time + 1 : 0;
    Answer last;
    for (std::size_t place = std::max(since, end - std::min(end, kLastCalls));
         place < end && last.deviants.empty(); ++place) {
      judgePlace(*program, place, last);
    }
    if (!last.deviants.empty()) last.followers.clear();
    addRanks(alone.followers, ascending(last.followers));
    addRanks(alone.deviants, last.deviants);
    std::move(last.reasons.begin(), last.reasons.end(),
              std::back_inserter(alone.reasons));
  }
  take(std::move(alone), answer);
}

}  // namespace traced
