// RankReader adds what one stream says to the state of the job.

#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/diagnosis/job_state.h"
#include "analysis/diagnosis/reached.h"
#include "traced/v1/clock.pb.h"

namespace traced {

// Of one stream, which outlives it.
class RankReader {
 public:
  RankReader(JobState& job, const StreamTable& table,
             const v1::ClockModel& clock, std::uint64_t stride);

  // Once.
  void read(std::uint32_t clock_name);

 private:
  // What a call of the stream comes to, worked out once.
  struct KnownCall {
    enum class Kind : std::uint8_t { kSkip, kCollective, kSend, kReceive };
    Kind kind = Kind::kSkip;
    std::uint32_t group = GroupCatalog::kNone;
    // Index into `places_`.
    std::uint32_t places = 0;
    std::uint32_t signature = 0;
    // Of a receive from any source: nullptr.
    PairSide* side = nullptr;
    bool gives_splits = false;
    std::uint64_t split_share = 0;
  };
  struct Place {
    std::uint64_t seq;
    std::uint32_t operation;
  };
  struct Message {
    PairSide* side;
    std::uint64_t seq;
    std::uint32_t message;
    Reached reached;
  };

  KnownCall describe(const v1::Call& call);
  void sortOut();
  void readCollectives(std::uint32_t group, std::vector<Place>& places);
  void readMessages();
  void noteState(const AssembledOperation& op, const v1::Call& call,
                 Reached reached);
  void tellState();
  OperationRef refTo(const AssembledOperation& op, const v1::Call& call) const;
  PairSide* sideOf(std::uint32_t group, std::uint32_t peer, bool sends);

  JobState& job_;
  const StreamTable& table_;
  const v1::ClockModel& clock_;
  const std::uint64_t stride_;
  RankState state_;
  const ReachedRule rule_;
  std::vector<std::uint32_t> group_indices_;
  // By index of the catalog: the first group of the stream that is it. Only a
  // damaged trace defines one twice.
  absl::flat_hash_map<std::uint32_t, std::uint32_t> first_of_group_;
  std::vector<KnownCall> calls_;
  // Per group of the stream.
  std::vector<std::vector<Place>> places_;
  std::vector<Message> messages_;
  // Of what the state tells; made into references at the end.
  const AssembledOperation* last_issued_ = nullptr;
  const AssembledOperation* last_ended_ = nullptr;
  const AssembledOperation* first_failed_ = nullptr;
};

}  // namespace traced
