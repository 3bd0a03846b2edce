// SiteOrder finds by call sites which ranks made a call of a group that the
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

// Some ranks called a collective where others did not.
struct SiteShift {
  enum class Blamed : std::uint8_t { kMakers, kOthers, kNobody };

  Blamed blamed = Blamed::kNobody;
  // Ascending.
  std::vector<std::uint32_t> makers;
  std::vector<std::uint32_t> others;
  std::uint64_t seq = 0;
  // How many numbers apart they are from there on; 0: no later call shows it.
  std::size_t count = 0;
  // As of an Insertion; only where the others ended without so many calls.
  bool may_be_another_line = false;
  // As of an Insertion.
  bool are_new = false;
  // The call, and the call sites of both sides.
  ProgramPoint what;
  std::string site;
  std::string others_site;
  // Why these are blamed, as far as that is recorded.
  std::optional<Fact> reason;

  const std::vector<std::uint32_t>& culprits() const {
    return blamed == Blamed::kMakers ? makers : others;
  }
};

// What it is given outlives it.
class SiteOrder {
 public:
  using Programs = std::map<std::uint32_t, ProgramCalls>;

  SiteOrder(const JobState& job, const ProgramReader& reader,
            const Programs& programs, std::uint32_t group);

  // Between any of some ranks and any of others, both ascending: of ranks that
  // joined an operation and ranks that did not, or of two sides of a mismatch.
  std::optional<SiteShift> findShift(
      const std::vector<std::uint32_t>& some,
      const std::vector<std::uint32_t>& others) const;
  // Where the last call that those who are missing made was made at another
  // line by who went on.
  std::optional<SiteShift> findLastDifference(
      const std::vector<std::uint32_t>& joined,
      const std::vector<std::uint32_t>& missing) const;

  // Whether a rank made, at any time, the call that another made under a
  // number.
  bool everMade(std::uint32_t rank, std::uint32_t other,
                std::uint64_t seq) const;

 private:
  // What a rank called in the group, without a hole.
  struct Sequence {
    std::uint64_t first_seq = 0;
    SiteCalls calls;
    // The same, for their words.
    std::vector<const ProgramCall*> of_program;

    std::uint64_t endSeq() const { return first_seq + calls.size(); }
    const SiteCall* at(std::uint64_t seq) const {
      return seq >= first_seq && seq < endSeq() ? &calls[seq - first_seq]
                                                : nullptr;
    }
  };
  // The calls of two ranks from the first number on that both have.
  struct Two {
    std::uint64_t first_seq = 0;
    SiteCalls a, b;
  };

  void read(const ProgramCalls& program);
  std::optional<Two> cut(std::uint32_t a, std::uint32_t b) const;
  std::optional<SiteShift> shiftOf(std::uint32_t maker, std::uint32_t other,
                                   std::uint64_t seq) const;
  // Whether other lines explain an insertion of two ranks, whose calls are
  // known from this number on, as well.
  bool isUnsure(const Insertion& insertion, std::uint64_t first_seq) const;
  // Whether the calls of each maker and each of the others show the same;
  // `made_fewer`: the others ended in order without so many.
  bool allShow(const SiteShift& shift, bool made_fewer) const;
  void blame(const Insertion& insertion, const SiteCalls& makers,
             const SiteCalls& others, SiteShift& shift) const;
  bool isMajority(const std::vector<std::uint32_t>& ranks) const;
  std::size_t callersOf(std::uint64_t seq) const;
  // Whether nobody but these made it at any time.
  bool isOwnCall(const std::vector<std::uint32_t>& ranks,
                 const SiteCall& call) const;
  bool haveEnded(const std::vector<std::uint32_t>& ranks) const;

  const JobState& job_;
  const ProgramReader& reader_;
  const Programs& programs_;
  const std::uint32_t group_;
  std::map<std::uint32_t, Sequence> sequences_;
};

}  // namespace traced
