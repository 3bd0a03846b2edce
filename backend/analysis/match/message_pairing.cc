#include "analysis/match/message_pairing.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "absl/container/btree_map.h"
#include "analysis/job/matched_calls.h"
#include "analysis/match/message_order.h"
#include "analysis/stream/operation_kinds.h"

namespace traced {
namespace {

void addMessages(const LoadedRun& run, const LoadedRun::Stream& stream,
                 UnclearPairs& unclear) {
  const std::uint32_t self = stream.table.header.rank();
  for (const v1::Call& call : stream.table.definitions.calls()) {
    const std::uint32_t group = run.groupOf(stream, call);
    if (!isPointToPoint(call.op()) || group == GroupCatalog::kNone) continue;
    unclear.add(group, run.groups.groups()[group].engine(), self, call);
  }
}

UnclearPairs unclearPairs(const LoadedRun& run) {
  UnclearPairs unclear;
  for (const auto& stream : run.streams) addMessages(run, stream, unclear);
  return unclear;
}

// A receive with the indices of its stream and operation.
struct Receive {
  ReceivedMessage message;
  std::uint32_t stream = 0;
  std::uint32_t operation = 0;
};

Receive receiveOf(std::uint32_t stream, std::uint32_t index,
                  const AssembledOperation& op, const v1::Call& call) {
  Receive receive;
  receive.stream = stream;
  receive.operation = index;
  ReceivedMessage& message = receive.message;
  message.number = call.peer_global_plus_1() == 0 ? 0 : op.seq;
  message.tag = call.tag();
  message.unresolved = message.fromAnySource() && op.source_rank_plus_1 == 0;
  message.issue_ns = op.issued.ns();
  if (op.ended.known()) message.end_ns = op.ended.ns();
  return receive;
}

// Returns whether the trace contains all messages of the rank.
bool isWhole(const StreamTable& table) {
  return !table.lostSomething() && table.marks.pauses().empty() &&
         table.accounts.left_out() == 0;
}

// The messages of both sides of a pair.
struct Messages {
  std::vector<SentMessage> sends;
  std::vector<Receive> receives;
  bool whole = true;
};

class MessageReader {
 public:
  MessageReader(const LoadedRun& run, const UnclearPairs& unclear)
      : run_(run), unclear_(unclear) {}

  void read(std::uint32_t index) {
    const LoadedRun::Stream& stream = run_.streams[index];
    const std::uint32_t self = stream.table.header.rank();
    const bool whole = isWhole(stream.table);
    for (std::uint32_t i = 0; i < stream.table.operations.size(); ++i) {
      const AssembledOperation& op = stream.table.operations[i];
      const v1::Call* call = stream.table.callOf(op);
      if (!call || !isPointToPoint(call->op())) continue;
      const std::uint32_t group = run_.groupOf(stream, *call);
      const auto peer = stream.table.peerOf(op, *call);
      if (!peer) {
        unresolved_[{group, self}].push_back(receiveOf(index, i, op, *call));
        continue;
      }
      const MessageEnds pair = messageEndsOf(group, self, *peer, call->op());
      if (!unclear_.contains(pair)) continue;
      Messages& messages = pairs_[pair];
      messages.whole &= whole;
      if (call->op() == v1::OPERATION_SEND) {
        messages.sends.push_back({op.seq, call->tag()});
      } else {
        messages.receives.push_back(receiveOf(index, i, op, *call));
      }
    }
  }

  // Returns all pairs. Adds to each the receives of unknown source that may
  // have taken one of its messages.
  absl::btree_map<MessageEnds, Messages> take() && {
    for (auto& [pair, messages] : pairs_) {
      const auto open = unresolved_.find({pair.group, pair.destination});
      if (open == unresolved_.end()) continue;
      messages.receives.insert(messages.receives.end(), open->second.begin(),
                               open->second.end());
    }
    return std::move(pairs_);
  }

 private:
  const LoadedRun& run_;
  const UnclearPairs& unclear_;
  absl::btree_map<MessageEnds, Messages> pairs_;
  // By group and destination.
  absl::btree_map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Receive>>
      unresolved_;
};

std::vector<ReceivedMessage> sortedByIssue(std::vector<Receive>& receives) {
  std::sort(receives.begin(), receives.end(),
            [](const Receive& a, const Receive& b) {
              return std::tuple(a.message.issue_ns, a.operation) <
                     std::tuple(b.message.issue_ns, b.operation);
            });
  std::vector<ReceivedMessage> messages;
  messages.reserve(receives.size());
  for (const Receive& receive : receives) messages.push_back(receive.message);
  return messages;
}

}  // namespace

bool MessagePairing::isNeeded(const LoadedRun& run) {
  return !unclearPairs(run).empty();
}

MessagePairing::MessagePairing(const LoadedRun& run) {
  const UnclearPairs unclear = unclearPairs(run);
  if (unclear.empty()) return;
  MessageReader reader(run, unclear);
  for (std::uint32_t i = 0; i < run.streams.size(); ++i) reader.read(i);
  auto pairs = std::move(reader).take();
  for (auto& [pair, messages] : pairs) {
    const auto receives = sortedByIssue(messages.receives);
    const EngineTraits& engine = run.groups.groups()[pair.group].engine();
    const auto taken =
        engine.tags == EngineTraits::Tags::kMatched
            ? messagesTaken(std::move(messages.sends), receives, messages.whole)
            : std::vector<std::uint64_t>(receives.size());
    for (std::size_t i = 0; i < receives.size(); ++i) {
      const Receive& receive = messages.receives[i];
      // Its pair is unknown, so it gets a row of its own.
      if (receives[i].unresolved) continue;
      taken_[{receive.stream, receive.operation}] = taken[i];
    }
  }
}

}  // namespace traced
