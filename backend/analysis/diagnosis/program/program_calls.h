// ProgramCalls is what one rank's program called, one call after the other, in
// words that ranks can compare: groups that play the same role on different
// ranks stand for each other, and so do peers at the same distance.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/diagnosis/job_state/job_state.h"
#include "analysis/job/signature.h"
#include "analysis/stream/stream_table.h"

namespace traced {

struct ProgramCall {
  // The role of its group, and of a message also where it goes, or comes from.
  std::uint32_t group_role = 0;
  std::uint32_t role = 0;
  // Within the role, as the rank counts it. A program that makes the same calls
  // on all ranks counts alike.
  std::uint64_t seq = 0;
  // The role and what was called, all of it; and without size and root, which
  // may change from step to step.
  std::uint32_t word = 0;
  std::uint32_t kind = 0;
  // As people name it.
  std::uint32_t group = GroupCatalog::kNone;
  std::uint32_t signature = 0;
  RankPair pair;
  v1::Operation op = v1::OPERATION_UNSPECIFIED;
  // Its call site, for ProgramReader::siteText; 0: not recorded.
  std::uint32_t site = 0;
  // Its training step plus 1; 0: not recorded.
  std::uint64_t step_plus_1 = 0;
  // Another thread of the rank was inside the call before, of the same role.
  bool beside_another = false;

  bool operator==(const ProgramCall& other) const {
    return role == other.role && seq == other.seq && word == other.word;
  }
};

struct ProgramCalls {
  // What every program begins with, and what one that ended in order ends with.
  static constexpr std::uint32_t kBegin = 0;
  static constexpr std::uint32_t kEnd = 1;

  std::uint32_t rank = 0;
  // The roles of its groups, ascending.
  std::vector<std::uint32_t> roles;
  // The last ones, up to the first that failed.
  std::vector<ProgramCall> calls;

  bool hasEnded() const { return !calls.empty() && calls.back().word == kEnd; }
};

// Reads streams of one job; what it has read can be compared.
class ProgramReader {
 public:
  explicit ProgramReader(const JobState& job) : catalog_(job.catalog) {}

  ProgramCalls read(const StreamTable& table);
  ProgramPoint pointOf(const ProgramCall& call) const;
  // The same by its arguments instead of its number. `own_groups`: ranks called
  // it in groups of their own.
  ProgramPoint wordOf(const ProgramCall& call, bool own_groups = false) const;
  // "/job/train.py:120 in forward".
  const std::string& siteText(std::uint32_t site) const {
    return site_texts_[site];
  }

 private:
  // Sites by stacks, of one stream.
  using Sites = absl::flat_hash_map<std::uint32_t, std::uint32_t>;

  std::uint32_t siteOf(const StreamTable& table, const AssembledOperation& op,
                       Sites& known);
  // What a call of the stream comes to; no word for one that is left out.
  ProgramCall describe(const StreamTable& table, const v1::Call& call,
                       const std::vector<std::uint32_t>& roles,
                       const std::vector<std::uint32_t>& groups);
  std::vector<std::uint32_t> rolesOf(const StreamTable& table);
  std::uint32_t roleOf(const std::string& description);
  std::uint32_t wordOf(std::uint32_t role, const Signature& signature);

  GroupCatalog catalog_;
  SignatureTable signatures_;
  absl::flat_hash_map<std::string, std::uint32_t> roles_;
  absl::flat_hash_map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>
      words_;
  absl::flat_hash_map<std::string, std::uint32_t> sites_ = {{"", 0}};
  std::vector<std::string> site_texts_ = {""};
};

}  // namespace traced
