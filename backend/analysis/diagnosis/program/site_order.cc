#include "analysis/diagnosis/program/site_order.h"

#include <algorithm>
#include <utility>

namespace traced {
namespace {

using Ranks = std::vector<std::uint32_t>;

// Maximum number of ranks per side that are aligned with each other.
constexpr std::size_t kMaxAligned = 4;

// How often the place occurred before the insertion: with the inserted calls,
// and without them.
struct HabitCounts {
  std::size_t with = 0;
  std::size_t without = 0;
};

HabitCounts habitOf(const SiteCalls& calls, const Insertion& insertion,
                    const SiteCalls& makers) {
  HabitCounts counts;
  const std::size_t at = insertion.at;
  const std::size_t length = insertion.length;
  if (at == 0 || at + length >= makers.size()) return counts;
  const SiteCall& before = makers[at - 1];
  const SiteCall& after = makers[at + length];
  for (std::size_t i = 0; i + 1 < std::min(at, calls.size()); ++i) {
    if (!(calls[i] == before)) continue;
    if (calls[i + 1] == after) ++counts.without;
    const bool fits = i + length + 1 < at;
    if (fits && calls[i + length + 1] == after &&
        std::equal(calls.begin() + i + 1, calls.begin() + i + 1 + length,
                   makers.begin() + at)) {
      ++counts.with;
    }
  }
  return counts;
}

// Both must be ascending.
bool areAmong(const Ranks& ranks, const Ranks& all) {
  return std::includes(all.begin(), all.end(), ranks.begin(), ranks.end());
}

}  // namespace

SiteOrder::SiteOrder(const JobState& job, const ProgramReader& reader,
                     const Programs& programs, std::uint32_t group)
    : job_(job), reader_(reader), programs_(programs), group_(group) {
  for (const std::uint32_t rank : job.membersOf(group).present) {
    const auto program = programs.find(rank);
    if (program != programs.end()) read(program->second);
  }
}

void SiteOrder::read(const ProgramCalls& program) {
  Sequence sequence;
  for (const ProgramCall& call : program.calls) {
    const bool counts =
        call.word > ProgramCalls::kEnd && call.group == group_ && !call.pair;
    if (!counts) continue;
    if (sequence.calls.empty()) sequence.first_seq = call.seq;
    if (call.seq != sequence.endSeq()) return;
    sequence.calls.push_back({call.site, call.word, call.step_plus_1});
    sequence.of_program.push_back(&call);
  }
  if (!sequence.calls.empty()) sequences_[program.rank] = std::move(sequence);
}

std::optional<SiteOrder::Two> SiteOrder::cut(std::uint32_t a,
                                             std::uint32_t b) const {
  const auto of_a = sequences_.find(a);
  const auto of_b = sequences_.find(b);
  if (of_a == sequences_.end() || of_b == sequences_.end()) return std::nullopt;
  Two two;
  two.first_seq = std::max(of_a->second.first_seq, of_b->second.first_seq);
  const auto from = [&](const Sequence& sequence) {
    const std::size_t skipped = std::min<std::size_t>(
        two.first_seq - sequence.first_seq, sequence.calls.size());
    return SiteCalls(sequence.calls.begin() + skipped, sequence.calls.end());
  };
  two.a = from(of_a->second);
  two.b = from(of_b->second);
  return two;
}

std::optional<SiteShift> SiteOrder::findShift(const Ranks& some,
                                              const Ranks& others) const {
  for (std::size_t i = 0; i < std::min(some.size(), kMaxAligned); ++i) {
    for (std::size_t j = 0; j < std::min(others.size(), kMaxAligned); ++j) {
      const auto two = cut(some[i], others[j]);
      if (!two) continue;
      const auto insertion = findInsertion(two->a, two->b);
      if (!insertion) continue;
      const bool by_some = insertion->by_first;
      const SiteCalls& of_maker = by_some ? two->a : two->b;
      const SiteCalls& of_other = by_some ? two->b : two->a;
      const bool is_unsure = isUnsure(*insertion, two->first_seq);
      // A program that ended in order made all its calls.
      const bool made_fewer = of_other.size() < of_maker.size() &&
                              haveEnded(by_some ? others : some);
      if (is_unsure && !made_fewer) continue;
      auto shift =
          shiftOf(by_some ? some[i] : others[j], by_some ? others[j] : some[i],
                  two->first_seq + insertion->at);
      if (!shift) continue;
      // Two kinds of ranks contradict the shift: one of the other side that
      // made the same call, and one that called from a third line.
      const bool sides_differ =
          areAmong(shift->makers, by_some ? some : others) &&
          areAmong(shift->others, by_some ? others : some) &&
          shift->makers.size() + shift->others.size() == callersOf(shift->seq);
      if (!sides_differ || !allShow(*shift, made_fewer)) continue;
      shift->count = insertion->count;
      shift->may_be_another_line = is_unsure;
      shift->are_new = insertion->are_new;
      blame(*insertion, of_maker, of_other, *shift);
      const bool is_worth_reporting =
          shift->blamed != SiteShift::Blamed::kNobody ||
          job_.membersOf(group_).absent.empty();
      if (is_worth_reporting) return shift;
    }
  }
  return std::nullopt;
}

bool SiteOrder::isUnsure(const Insertion& insertion,
                         std::uint64_t first_seq) const {
  // With more than two callers, the others show which one differs.
  return insertion.may_be_another_line ||
         (insertion.has_no_history && callersOf(first_seq + insertion.at) == 2);
}

bool SiteOrder::allShow(const SiteShift& shift, bool made_fewer) const {
  const Ranks& makers = shift.makers;
  const Ranks& others = shift.others;
  for (std::size_t i = 0; i < std::min(makers.size(), kMaxAligned); ++i) {
    for (std::size_t j = 0; j < std::min(others.size(), kMaxAligned); ++j) {
      const auto two = cut(makers[i], others[j]);
      const auto insertion = two ? findInsertion(two->a, two->b) : std::nullopt;
      if (!insertion || !insertion->by_first ||
          two->first_seq + insertion->at != shift.seq ||
          (!made_fewer && isUnsure(*insertion, two->first_seq))) {
        return false;
      }
    }
  }
  return true;
}

std::optional<SiteShift> SiteOrder::findLastDifference(
    const Ranks& joined, const Ranks& missing) const {
  for (std::size_t i = 0; i < std::min(joined.size(), kMaxAligned); ++i) {
    for (std::size_t j = 0; j < std::min(missing.size(), kMaxAligned); ++j) {
      const auto two = cut(joined[i], missing[j]);
      if (!two || two->a.size() <= two->b.size()) continue;
      if (!lastCallsDiffer(two->a, two->b)) continue;
      auto shift =
          shiftOf(joined[i], missing[j], two->first_seq + two->b.size() - 1);
      if (!shift || isMajority(shift->makers)) continue;
      // A rank that made the same call as the missing ones and continued
      // contradicts the difference.
      if (!areAmong(shift->others, missing)) continue;
      return shift;
    }
  }
  return std::nullopt;
}

// Returns the shift that the calls of two ranks show at `seq`, without the
// blame. Absent if their call sites do not differ there or are not recorded.
std::optional<SiteShift> SiteOrder::shiftOf(std::uint32_t maker,
                                            std::uint32_t other,
                                            std::uint64_t seq) const {
  const Sequence& of_maker = sequences_.at(maker);
  const SiteCall* made = of_maker.at(seq);
  const SiteCall* instead = sequences_.at(other).at(seq);
  if (!made || !instead || made->site == instead->site || made->site == 0 ||
      instead->site == 0) {
    return std::nullopt;
  }
  SiteShift shift;
  shift.seq = seq;
  shift.what = reader_.pointOf(*of_maker.of_program[seq - of_maker.first_seq]);
  shift.site = reader_.siteText(made->site);
  shift.others_site = reader_.siteText(instead->site);
  for (const auto& [rank, sequence] : sequences_) {
    const SiteCall* call = sequence.at(seq);
    if (!call) continue;
    if (*call == *made) shift.makers.push_back(rank);
    if (*call == *instead) shift.others.push_back(rank);
  }
  return shift;
}

bool SiteOrder::isMajority(const Ranks& ranks) const {
  const std::size_t all = job_.catalog.groups()[group_].members.size();
  return ranks.size() > 1 && 2 * ranks.size() > all;
}

bool SiteOrder::everMade(std::uint32_t rank, std::uint32_t other,
                         std::uint64_t seq) const {
  const SiteCalls& calls = sequences_.at(rank).calls;
  const SiteCall* made = sequences_.at(other).at(seq);
  return made && std::find(calls.begin(), calls.end(), *made) != calls.end();
}

std::size_t SiteOrder::callersOf(std::uint64_t seq) const {
  return static_cast<std::size_t>(
      std::count_if(sequences_.begin(), sequences_.end(),
                    [&](const auto& each) { return each.second.at(seq); }));
}

bool SiteOrder::isOwnCall(const Ranks& ranks, const SiteCall& call) const {
  if (!job_.membersOf(group_).absent.empty()) return false;
  return std::none_of(
      sequences_.begin(), sequences_.end(), [&](const auto& each) {
        const SiteCalls& calls = each.second.calls;
        return !std::binary_search(ranks.begin(), ranks.end(), each.first) &&
               std::find(calls.begin(), calls.end(), call) != calls.end();
      });
}

bool SiteOrder::haveEnded(const Ranks& ranks) const {
  return std::all_of(ranks.begin(), ranks.end(), [&](std::uint32_t rank) {
    const auto program = programs_.find(rank);
    return program != programs_.end() && program->second.hasEnded();
  });
}

void SiteOrder::blame(const Insertion& insertion, const SiteCalls& makers,
                      const SiteCalls& others, SiteShift& shift) const {
  using Blamed = SiteShift::Blamed;
  const HabitCounts of_makers = habitOf(makers, insertion, makers);
  const HabitCounts of_others = habitOf(others, insertion, makers);
  const bool left_out = of_others.with > 0 && of_others.without == 0;
  const bool is_extra = of_makers.without > 0 && of_makers.with == 0;
  if (isMajority(shift.others)) {
    if (!left_out) shift.blamed = Blamed::kMakers;
  } else if (isMajority(shift.makers)) {
    if (!is_extra) shift.blamed = Blamed::kOthers;
  } else if (shift.may_be_another_line) {
    // One side made fewer calls, but nothing shows where.
  } else if (left_out != is_extra) {
    shift.blamed = left_out ? Blamed::kOthers : Blamed::kMakers;
    shift.reason = SiteHabit{left_out ? shift.others : shift.makers, left_out};
  } else if (!left_out && isOwnCall(shift.makers, makers[insertion.at])) {
    shift.blamed = Blamed::kMakers;
    shift.reason = PlainFact::kNobodyElseCalledIt;
  }
}

}  // namespace traced
