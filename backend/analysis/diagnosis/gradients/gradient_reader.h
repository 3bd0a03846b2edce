// GradientReader finds the reductions of gradients in one stream, and what
// else carries data between ranks.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/diagnosis/gradients/backward_calls.h"
#include "analysis/diagnosis/gradients/call_role.h"
#include "analysis/diagnosis/gradients/ddp_build.h"
#include "analysis/diagnosis/gradients/rank_gradients.h"
#include "analysis/diagnosis/gradients/rank_sets.h"
#include "analysis/job/group_catalog.h"
#include "analysis/stream/stream_table.h"

namespace traced {

// Ranks that exchange data, by what counts as such.
struct ExchangingRanks {
  explicit ExchangingRanks(std::uint32_t ranks)
      : in_training(ranks), reducing(ranks) {}

  // Any data after a rank's first reduction of gradients.
  RankSets in_training;
  // Reductions, all-to-alls and messages.
  RankSets reducing;
};

// Reads one stream in linear time. Memory grows with its definitions.
class GradientReader {
 public:
  // Both must outlive this object. `groups`: the catalog index of each of the
  // stream's groups.
  GradientReader(const StreamTable& table,
                 const std::vector<std::uint32_t>& groups,
                 ExchangingRanks& exchanging);

  RankGradients read();

 private:
  // Properties of a call definition, computed once.
  struct KnownCall {
    bool is_known = false;
    bool is_message = false;
    // Index into the stream's groups.
    std::uint32_t local = 0;
    Signature signature;
    CallRole role;
    bool may_be_async = false;
    // The sets in which its members are already joined.
    bool joined_in_training = false;
    bool joined_reducing = false;
  };

  KnownCall describe(const v1::Call& call);
  void readOperation(const AssembledOperation& op, KnownCall& known);
  void readMessage(const AssembledOperation& op, const KnownCall& known);
  // Returns whether it reduces gradients. `in_backward`: issued by autograd.
  bool reducesGradients(const AssembledOperation& op, const KnownCall& known,
                        bool in_backward);
  void joinMembers(KnownCall& known, bool reduces);
  void addGradients(const AssembledOperation& op, const KnownCall& known);
  void addMetric(const AssembledOperation& op, const KnownCall& known);
  void addGather(const AssembledOperation& op, const KnownCall& known);
  FirstCall firstCall(const AssembledOperation& op, const KnownCall& known);
  const std::string& siteOf(const AssembledOperation& op);

  const StreamTable& table_;
  const std::vector<std::uint32_t>& groups_;
  ExchangingRanks& exchanging_;
  BackwardCalls backward_;
  RankGradients found_;
  // Indexed like the stream's calls and groups.
  std::vector<KnownCall> calls_;
  std::vector<DdpBuild> builds_;
  std::uint64_t hash_ = 0;
  absl::flat_hash_map<std::uint32_t, std::string> sites_;
};

}  // namespace traced
