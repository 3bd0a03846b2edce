// LocalFindings reports faults that one rank's trace proves: buffers used by
// two operations at once, and operations nobody waited for.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "analysis/diagnosis/job_state/rank_state.h"
#include "analysis/stream/stream_table.h"

namespace traced {

using MakeRef =
    std::function<OperationRef(const AssembledOperation&, const v1::Call&)>;
// Returns when the stream's last operation was issued. Evaluated lazily,
// because it scans all operations.
using LastIssueNs = std::function<std::int64_t()>;

// Checks the operations of one stream. The stream must be complete.
class LocalFindings {
 public:
  LocalFindings(const StreamTable& table, MakeRef make_ref,
                LastIssueNs last_issue_ns);

  // Adds the next operation in order of issue. Use it only for groups whose
  // engine may run two operations at once. NCCL runs a group's operations in
  // order on its stream.
  void add(const AssembledOperation& op, const v1::Call& call,
           const EngineTraits& engine);

  // Sets `overlap` and `never_waited` of `state`, whose other fields must be
  // final.
  void addTo(RankState& state) &&;

 private:
  struct Use {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    bool writes = false;
  };
  using Uses = std::vector<Use>;
  // An operation in progress from the caller's view: until its wait returned
  // or, without a wait, until its end.
  struct UnderWay {
    const AssembledOperation* op = nullptr;
    std::int64_t until_ns = 0;
    Uses uses;
  };

  // Returns whether both use a common buffer range that at least one of them
  // writes.
  static bool collide(const Uses& a, const Uses& b);
  // Returns the buffer ranges of an operation. Empty if unknown.
  Uses usesOf(const AssembledOperation& op, const v1::Call& call) const;
  bool isNeverWaited(const AssembledOperation& op) const;
  // Notes an overlap if `op` shares a buffer with an operation in progress, and
  // tracks `op` itself. `only_wait_ends`: without a recorded end, only a wait
  // can end the operation, so it stays in progress.
  void findOverlap(const AssembledOperation& op, const v1::Call& call,
                   bool only_wait_ends);
  // Stores the first finding and counts further ones.
  void note(std::optional<LocalFinding>& finding, const AssembledOperation& op,
            const v1::Call& call, const AssembledOperation* other = nullptr);

  const StreamTable& table_;
  const MakeRef make_ref_;
  const LastIssueNs last_issue_ns_;
  std::vector<UnderWay> under_way_;
  std::optional<LocalFinding> overlap_;
  std::optional<LocalFinding> never_waited_;
};

}  // namespace traced
