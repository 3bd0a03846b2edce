// Writes what ranks of a synthetic training communicate: gradients, metrics
// and parameters.

#pragma once

#include <cstdint>
#include <string>

#include "unit/analysis/diagnosis/diagnosed.h"

namespace traced::testing {

constexpr std::uint64_t kGradientBytes = 4096;
constexpr std::uint64_t kLossBytes = 4;
constexpr int kSteps = 10;

// Adds a group whose c10d name is not counted, as those of a device mesh.
inline std::uint32_t addMeshGroup(RankBuilder& rank, const std::string& desc,
                                  std::uint32_t first, std::uint32_t count) {
  const std::uint32_t id = rank.addGroup(desc, first, count);
  rank.stream()
      .payload()
      .mutable_group(static_cast<int>(id) - 1)
      ->set_name("mesh_" + desc);
  return id;
}

inline std::uint32_t addSum(RankBuilder& rank, std::uint32_t group,
                            std::uint64_t bytes) {
  v1::Call& call = rank.addCall(v1::OPERATION_ALL_REDUCE, group, bytes);
  call.set_reduce_op(v1::REDUCE_OP_SUM);
  call.set_async(true);
  return call.id();
}

inline std::uint32_t addPhase(RankBuilder& rank, v1::Phase phase) {
  v1::Context& context = rank.stream().addContext();
  context.set_phase(phase);
  return context.id();
}

// Calls at 10 ms intervals, each 1 ms long.
class TrainingRank {
 public:
  explicit TrainingRank(RankBuilder& rank)
      : rank_(rank), backward_(addPhase(rank, v1::PHASE_BACKWARD)) {}

  // Issues a call outside of backward.
  void call(std::uint32_t call) { rank_.end(call, next()); }
  // Issues a call in backward.
  void callInBackward(std::uint32_t call) {
    rank_.setContext(backward_);
    this->call(call);
    rank_.setContext(0);
  }
  void beginStep(std::uint64_t number) { rank_.beginStep(number, next()); }

 private:
  std::int64_t next() { return now_ms_ += 10; }

  RankBuilder& rank_;
  const std::uint32_t backward_;
  std::int64_t now_ms_ = 0;
};

inline bool hasUnsynchronised(const Diagnosis& diagnosis) {
  for (const JobVerdict& verdict : diagnosis.verdicts) {
    if (verdict.kind == VerdictKind::kUnsynchronisedGradients) return true;
  }
  return false;
}

}  // namespace traced::testing
