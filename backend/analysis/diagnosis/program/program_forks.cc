#include "analysis/diagnosis/program/program_forks.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "analysis/diagnosis/program/program_habit.h"
#include "analysis/stream/operation_kinds.h"

namespace traced {

ProgramIndex::ProgramIndex(const ProgramCalls& program) : program_(program) {
  place_.reserve(program.calls.size());
  for (std::size_t i = 0; i < program.calls.size(); ++i) {
    const ProgramCall& call = program.calls[i];
    if (call.word != ProgramCalls::kEnd) place_[{call.role, call.seq}] = i;
  }
}

std::vector<Agreement> ProgramIndex::agreementsWith(
    const ProgramCalls& other) const {
  std::vector<Agreement> agreements;
  for (std::size_t i = 0; i < other.calls.size(); ++i) {
    const ProgramCall& call = other.calls[i];
    // Extends the last agreement if the calls continue to agree.
    const bool goes_on = !agreements.empty() &&
                         agreements.back().other_end == i &&
                         agreements.back().end < program_.calls.size() &&
                         program_.calls[agreements.back().end] == call;
    if (goes_on) {
      ++agreements.back().end;
      ++agreements.back().other_end;
      continue;
    }
    const auto found = place_.find({call.role, call.seq});
    if (call.word == ProgramCalls::kEnd || found == place_.end()) continue;
    if (!(program_.calls[found->second] == call)) continue;
    agreements.push_back({found->second, found->second + 1, i + 1});
  }
  return agreements;
}

namespace {

// Number of equal calls that prove two programs equal, if nothing repeats.
constexpr std::size_t kAgreement = 8;
// Maximum number of role sets in which a rank is compared with others.
constexpr std::size_t kMaxSets = 8;

bool callsMessage(const ProgramCalls& program, std::size_t place) {
  return place + 1 < program.calls.size() &&
         isPointToPoint(program.calls[place + 1].op);
}

// Returns whether two programs that agree from `begin` to `place` are the same
// there. They are if they already agreed at the previous visit of the place, or
// from the beginning. With `message`, the next call is a message and the latter
// does not count, because ranks may send to different peers.
bool wereOne(const ProgramCalls& program, std::size_t begin, std::size_t place,
             bool message) {
  if (const auto habit = habitAt(program, place, &ProgramCall::kind)) {
    return habit->last_time >= begin;
  }
  if (message) return false;
  return program.calls[begin].word == ProgramCalls::kBegin ||
         place + 1 - begin >= kAgreement;
}

// Returns when a program last was at the place of its final call. Returns 0 if
// never.
std::size_t lastPeriodOf(const ProgramCalls& program) {
  if (program.calls.size() < 2) return 0;
  const auto habit =
      habitAt(program, program.calls.size() - 2, &ProgramCall::kind);
  return habit ? habit->last_time : 0;
}

// Returns whether both programs continue after a place where they agree. If
// both ended, their ends do not count: a rank with an extra call ends later.
bool goOn(const ProgramCalls& program, std::size_t next,
          const ProgramCalls& other, std::size_t other_next) {
  const bool ended = program.hasEnded() && other.hasEnded();
  return next + ended < program.calls.size() &&
         other_next + ended < other.calls.size();
}

// Returns the last place after which both programs continue with different
// calls. Does not search before `since`. A fault shows before a program reaches
// the same place again. Programs that part repeatedly are simply different.
std::optional<std::size_t> lastParting(const ProgramCalls& program,
                                       const ProgramCalls& other,
                                       const std::vector<Agreement>& agreements,
                                       std::size_t since) {
  for (auto last = agreements.rbegin(); last != agreements.rend(); ++last) {
    if (last->end <= since) break;
    if (!goOn(program, last->end, other, last->other_end)) continue;
    const std::size_t place = last->end - 1;
    const bool message = callsMessage(program, place) ||
                         callsMessage(other, last->other_end - 1);
    if (wereOne(program, last->begin, place, message)) return place;
  }
  return std::nullopt;
}

}  // namespace

void ProgramFork::add(const ProgramCalls& program, std::size_t place) {
  if (place + 1 >= program.calls.size()) return;
  const ProgramCall& next = program.calls[place + 1];
  auto branch =
      std::find_if(branches.begin(), branches.end(),
                   [&](const Branch& each) { return each.next == next; });
  if (branch == branches.end()) {
    branch = branches.insert(branches.end(), Branch{next, {}});
  }
  branch->visitors.push_back({&program, place});
}

std::set<ForkFinder::Roles> ForkFinder::commonRolesOf(
    const ProgramCalls& own) const {
  std::set<Roles> sets;
  for (const auto& [rank, other] : programs_) {
    if (rank == own.rank || sets.size() == kMaxSets) continue;
    Roles common;
    std::set_intersection(own.roles.begin(), own.roles.end(),
                          other.roles.begin(), other.roles.end(),
                          std::back_inserter(common));
    if (!common.empty()) sets.insert(std::move(common));
  }
  return sets;
}

const ProgramCalls* ForkFinder::inRoles(const ProgramCalls& program,
                                        const Roles& roles) {
  if (program.roles == roles) return &program;
  ProgramCalls& part = parts_.emplace_back();
  part.rank = program.rank;
  part.roles = roles;
  for (const ProgramCall& call : program.calls) {
    const bool is_call = call.word > ProgramCalls::kEnd;
    if (!is_call ||
        std::binary_search(roles.begin(), roles.end(), call.group_role)) {
      part.calls.push_back(call);
    }
  }
  return &part;
}

void ForkFinder::findForks(const ProgramCalls& own,
                           const std::vector<const ProgramCalls*>& others,
                           const Visit& visit) {
  const ProgramIndex index(own);
  const std::size_t since = lastPeriodOf(own);
  std::vector<std::vector<Agreement>> agreements;
  std::set<std::size_t> places;
  for (const ProgramCalls* other : others) {
    agreements.push_back(index.agreementsWith(*other));
    const auto place = lastParting(own, *other, agreements.back(), since);
    if (place) places.insert(*place);
  }
  for (const std::size_t place : places) {
    ProgramFork fork;
    fork.after = own.calls[place];
    fork.add(own, place);
    for (std::size_t i = 0; i < others.size(); ++i) {
      for (const Agreement& agreement : agreements[i]) {
        if (!agreement.covers(place)) continue;
        const std::size_t other_place =
            agreement.other_end - (agreement.end - place);
        const bool message =
            callsMessage(own, place) || callsMessage(*others[i], other_place);
        if (!wereOne(own, agreement.begin, place, message)) continue;
        fork.add(*others[i], other_place);
      }
    }
    visit(fork);
  }
}

void ForkFinder::forEachFork(std::uint32_t rank, const Visit& visit) {
  const ProgramCalls& own = programs_.at(rank);
  for (const Roles& roles : commonRolesOf(own)) {
    std::vector<const ProgramCalls*> others;
    for (const auto& [other_rank, other] : programs_) {
      const bool has_all = std::includes(other.roles.begin(), other.roles.end(),
                                         roles.begin(), roles.end());
      if (has_all && other_rank != rank) {
        others.push_back(inRoles(other, roles));
      }
    }
    findForks(*inRoles(own, roles), others, visit);
    parts_.clear();
  }
}

}  // namespace traced
