// ProgramCalls is the sequence of calls of one rank's program, in words that
// are comparable across ranks. Groups with the same role on different ranks are
// equivalent, and so are peers at the same distance.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/diagnosis/job_state/job_state.h"
#include "analysis/diagnosis/verdicts/facts/calls.h"
#include "analysis/job/signature.h"
#include "analysis/stream/stream_table.h"

namespace traced {

struct ProgramCall {
  // The role of its group. For a message, `role` also includes the direction
  // and the peer's distance.
  std::uint32_t group_role = 0;
  std::uint32_t role = 0;
  // The rank's number of the call within the role. A program that makes the
  // same calls on all ranks has equal numbers.
  std::uint64_t seq = 0;
  // `word` identifies the role and all arguments. `kind` omits size and root,
  // which may change between steps.
  std::uint32_t word = 0;
  std::uint32_t kind = 0;
  // The call in terms of the job, for reports.
  std::uint32_t group = GroupCatalog::kNone;
  std::uint32_t signature = 0;
  RankPair pair;
  v1::Operation op = v1::OPERATION_UNSPECIFIED;
  // Its call site, for ProgramReader::siteText. 0 if not recorded.
  std::uint32_t site = 0;
  // Its training step plus 1. 0 if not recorded.
  std::uint64_t step_plus_1 = 0;
  // Another thread of the rank was inside the previous call of the same role.
  bool beside_another = false;

  bool operator==(const ProgramCall& other) const {
    return role == other.role && seq == other.seq && word == other.word;
  }
};

struct ProgramCalls {
  // Words of the beginning of a program and of an orderly end.
  static constexpr std::uint32_t kBegin = 0;
  static constexpr std::uint32_t kEnd = 1;

  std::uint32_t rank = 0;
  // The roles of its groups, ascending.
  std::vector<std::uint32_t> roles;
  // The last kMaxCalls calls, up to the first that failed.
  std::vector<ProgramCall> calls;

  bool hasEnded() const { return !calls.empty() && calls.back().word == kEnd; }
};

// ProgramReader reads streams of one job. All programs read by one reader are
// comparable.
class ProgramReader {
 public:
  explicit ProgramReader(const JobState& job) : catalog_(job.catalog) {}

  // Reads one rank's stream.
  ProgramCalls read(const StreamTable& table);
  // Returns the call in terms of the job, by operation, group and number.
  ProgramPoint pointOf(const ProgramCall& call) const;
  // Like pointOf, with the call's arguments. `own_groups`: ranks called it in
  // different groups.
  ProgramPoint wordOf(const ProgramCall& call, bool own_groups = false) const;
  // Returns for example "/job/train.py:120 in forward".
  const std::string& siteText(std::uint32_t site) const {
    return site_texts_[site];
  }

 private:
  // Maps stacks of one stream to sites.
  using Sites = absl::flat_hash_map<std::uint32_t, std::uint32_t>;

  // Returns the site of an operation's stack, cached in `known`. Returns 0 if
  // none is recorded.
  std::uint32_t siteOf(const StreamTable& table, const AssembledOperation& op,
                       Sites& known);
  // Describes a call of the stream. `roles` and `groups`: the number of the
  // role and the catalog index of each of the stream's groups. The word is
  // kBegin for calls that are not compared: those that are simulated, or whose
  // group is unknown or was not recorded completely.
  ProgramCall describe(const StreamTable& table, const v1::Call& call,
                       const std::vector<std::uint32_t>& roles,
                       const std::vector<std::uint32_t>& groups);
  std::vector<std::uint32_t> rolesOf(const StreamTable& table);
  // Returns the number of a role, equal for equal descriptions.
  std::uint32_t roleOf(const std::string& description);
  // Returns the number of a role and signature.
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
