// What one rank's trace shows by itself: buffers that two operations use at
// once, and operations that nobody waited for.

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
// When the stream's last operation was issued: asked only where it matters, as
// all operations must be looked at for it.
using LastIssueNs = std::function<std::int64_t()>;

// Of the operations of one stream, none of which was lost.
class LocalFindings {
 public:
  LocalFindings(const StreamTable& table, MakeRef make_ref,
                LastIssueNs last_issue_ns);

  // The next operation, by issue, of a group whose engine may run two at once:
  // those of NCCL follow each other on their stream.
  void add(const AssembledOperation& op, const v1::Call& call,
           const EngineTraits& engine);

  // Sets `overlap` and `never_waited`; what the state says otherwise is known.
  void tell(RankState& state) &&;

 private:
  struct Use {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    bool writes = false;
  };
  using Uses = std::vector<Use>;
  // An operation under way, as its caller can know it: until its wait returned,
  // or, without one, until its end.
  struct UnderWay {
    const AssembledOperation* op = nullptr;
    std::int64_t until_ns = 0;
    Uses uses;
  };

  static bool collide(const Uses& a, const Uses& b);
  Uses usesOf(const AssembledOperation& op, const v1::Call& call) const;
  bool isNeverWaited(const AssembledOperation& op) const;
  void findOverlap(const AssembledOperation& op, const v1::Call& call,
                   bool only_wait_ends);
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
