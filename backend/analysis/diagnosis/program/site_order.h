// SiteOrder uses call sites to find which ranks made a call of a group that the
// others did not make.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/diagnosis/job_state/job_state.h"
#include "analysis/diagnosis/program/program_calls.h"
#include "analysis/diagnosis/program/site_alignment.h"

namespace traced {

// A collective that some ranks called and others did not.
struct SiteShift {
  enum class Blamed : std::uint8_t { kMakers, kOthers, kNobody };

  Blamed blamed = Blamed::kNobody;
  // Both ascending.
  std::vector<std::uint32_t> makers;
  std::vector<std::uint32_t> others;
  std::uint64_t seq = 0;
  // By how many numbers the ranks differ from there on. 0 if no later call
  // shows it.
  std::size_t count = 0;
  // See Insertion. Set only if the others ended without as many calls.
  bool may_be_another_line = false;
  // See Insertion.
  bool are_new = false;
  // The call, and the call sites of both sides.
  ProgramPoint what;
  std::string site;
  std::string others_site;
  // Why these ranks are blamed, if recorded.
  std::optional<Fact> reason;

  const std::vector<std::uint32_t>& culprits() const {
    return blamed == Blamed::kMakers ? makers : others;
  }
};

// All constructor arguments must outlive this object.
class SiteOrder {
 public:
  using Programs = std::map<std::uint32_t, ProgramCalls>;

  SiteOrder(const JobState& job, const ProgramReader& reader,
            const Programs& programs, std::uint32_t group);

  // Finds a shift between `some` and `others`, both ascending. The two are
  // ranks that joined an operation and ranks that did not, or the two sides of
  // a mismatch.
  std::optional<SiteShift> findShift(
      const std::vector<std::uint32_t>& some,
      const std::vector<std::uint32_t>& others) const;
  // Finds whether the last call of the missing ranks was made at another line
  // by ranks that continued.
  std::optional<SiteShift> findLastDifference(
      const std::vector<std::uint32_t>& joined,
      const std::vector<std::uint32_t>& missing) const;

  // Returns whether `rank` made, at any time, the call that `other` made under
  // number `seq`. Both must be among the ranks of a found shift.
  bool everMade(std::uint32_t rank, std::uint32_t other,
                std::uint64_t seq) const;

 private:
  // A rank's calls in the group, without a hole.
  struct Sequence {
    std::uint64_t first_seq = 0;
    SiteCalls calls;
    // The same calls as ProgramCall, for reports.
    std::vector<const ProgramCall*> of_program;

    std::uint64_t endSeq() const { return first_seq + calls.size(); }
    const SiteCall* at(std::uint64_t seq) const {
      return seq >= first_seq && seq < endSeq() ? &calls[seq - first_seq]
                                                : nullptr;
    }
  };
  // The calls of two ranks, from the first number that both have.
  struct Two {
    std::uint64_t first_seq = 0;
    SiteCalls a, b;
  };

  // Reads one program's calls of the group, up to the first hole.
  void read(const ProgramCalls& program);
  // Returns the calls of two ranks from their first common number on. Absent if
  // one rank is unknown.
  std::optional<Two> cut(std::uint32_t a, std::uint32_t b) const;
  std::optional<SiteShift> shiftOf(std::uint32_t maker, std::uint32_t other,
                                   std::uint64_t seq) const;
  // Returns whether other lines may explain an insertion equally well. Without
  // a history of the calls, only a third caller settles it. `first_seq` is the
  // first known number of both ranks.
  bool isUnsure(const Insertion& insertion, std::uint64_t first_seq) const;
  // Returns whether each maker aligned with each of the others shows the same
  // shift. `made_fewer`: the others ended in order with fewer calls.
  bool allShow(const SiteShift& shift, bool made_fewer) const;
  // Sets which side of `shift` is blamed, and why.
  void blame(const Insertion& insertion, const SiteCalls& makers,
             const SiteCalls& others, SiteShift& shift) const;
  // Returns whether the ranks are more than one and more than half of the
  // group.
  bool isMajority(const std::vector<std::uint32_t>& ranks) const;
  // Returns how many ranks are known to have called number `seq`.
  std::size_t callersOf(std::uint64_t seq) const;
  // Returns whether only `ranks`, ascending, ever made this call. False if a
  // member of the group has no trace, because it may have made the call too.
  bool isOwnCall(const std::vector<std::uint32_t>& ranks,
                 const SiteCall& call) const;
  // Returns whether all these programs ended in order.
  bool haveEnded(const std::vector<std::uint32_t>& ranks) const;

  const JobState& job_;
  const ProgramReader& reader_;
  const Programs& programs_;
  const std::uint32_t group_;
  std::map<std::uint32_t, Sequence> sequences_;
};

}  // namespace traced
