#include "analysis/diagnosis/gradients/gradient_reader.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "analysis/stream/operation_kinds.h"

namespace traced {
namespace {

// Returns whether the stream shows everything that the rank communicated.
bool showsAll(const StreamTable& table) {
  const auto& calls = table.definitions.calls();
  return !table.snapshot && table.marks.pauses().empty() &&
         table.definitions.refusedGroups().empty() &&
         table.dropped(v1::DROP_REASON_RETENTION) == 0 &&
         // Replays of a CUDA graph are not recorded.
         std::none_of(calls.begin(), calls.end(), [](const v1::Call& call) {
           return call.graph_plus_1() > 0;
         });
}

}  // namespace

GradientReader::GradientReader(const StreamTable& table,
                               const std::vector<std::uint32_t>& groups,
                               ExchangingRanks& exchanging)
    : table_(table),
      groups_(groups),
      exchanging_(exchanging),
      backward_(table),
      builds_(groups.size()) {
  for (const v1::Call& call : table.definitions.calls()) {
    calls_.push_back(describe(call));
  }
}

GradientReader::KnownCall GradientReader::describe(const v1::Call& call) {
  KnownCall known;
  known.local = table_.groupOf(call);
  known.is_known = known.local != StreamDefinitions::kNone && !call.simulated();
  known.is_message = isPointToPoint(call.op());
  known.signature = signatureOf(call, table_.capabilities);
  known.role = roleOf(known.signature);
  known.may_be_async = !call.has_async() || call.async();
  return known;
}

RankGradients GradientReader::read() {
  found_.is_complete = showsAll(table_);
  if (!found_.is_complete) return std::move(found_);
  for (const AssembledOperation& op : table_.operations) {
    if (op.call == AssembledOperation::kNoCall) {
      found_.is_complete = false;
      break;
    }
    KnownCall& known = calls_[op.call];
    if (known.is_known) readOperation(op, known);
  }
  return std::move(found_);
}

void GradientReader::readOperation(const AssembledOperation& op,
                                   KnownCall& known) {
  if (known.is_message) return readMessage(op, known);
  // A set-up comes before training. Later broadcasts may carry parameters.
  if (builds_[known.local].add(known.signature) && !found_.first) return;
  const CallRole& role = known.role;
  const bool in_backward =
      (role.reduces || role.gathers) && backward_.contains(op);
  if (reducesGradients(op, known, in_backward)) addGradients(op, known);
  const bool reduces_any = role.reduces && in_backward;
  if (reduces_any || (role.moves_data && !backward_.carriesObjects(op))) {
    joinMembers(known, !role.gathers && !role.is_from_root);
  }
  if (role.sums_metric && !in_backward) addMetric(op, known);
  if (role.gathers && in_backward && role.moves_data) addGather(op, known);
}

void GradientReader::readMessage(const AssembledOperation& op,
                                 const KnownCall& known) {
  const auto peer = table_.peerOf(op, table_.definitions.calls()[op.call]);
  const std::uint32_t rank = table_.header.rank();
  // A message whose peer is unknown may connect any two members.
  const RankList& members = table_.definitions.groups()[known.local].members;
  for (RankSets* sets : {&exchanging_.in_training, &exchanging_.reducing}) {
    if (peer) {
      sets->join(rank, *peer);
    } else {
      sets->join(members);
    }
  }
}

// A model that DistributedDataParallel set up in the group shows gradients
// too: its reducer sums buckets, which have one dimension, asynchronously.
bool GradientReader::reducesGradients(const AssembledOperation& op,
                                      const KnownCall& known,
                                      bool in_backward) {
  if (!known.role.reduces || !known.role.moves_data) return false;
  if (in_backward) return true;
  const v1::Call& call = table_.definitions.calls()[op.call];
  return builds_[known.local].isBuilt() && known.may_be_async &&
         call.op() == v1::OPERATION_ALL_REDUCE && call.tensors_in() <= 1 &&
         call.input_size() == 1 && call.input(0).shape_size() == 1 &&
         backward_.phaseOf(op) == v1::PHASE_UNSPECIFIED;
}

void GradientReader::joinMembers(KnownCall& known, bool reduces) {
  const RankList& members = table_.definitions.groups()[known.local].members;
  if (found_.first && !known.joined_in_training) {
    exchanging_.in_training.join(members);
    known.joined_in_training = true;
  }
  if (reduces && !known.joined_reducing) {
    exchanging_.reducing.join(members);
    known.joined_reducing = true;
  }
}

void GradientReader::addGradients(const AssembledOperation& op,
                                  const KnownCall& known) {
  if (!found_.first) found_.first = firstCall(op, known);
  ++found_.calls;
  found_.bytes += known.signature.bytes();
  const std::uint64_t size =
      table_.definitions.groups()[known.local].members.size();
  const std::uint64_t word = signatureNumber(known.signature) * 31 + size +
                             std::hash<std::string>()(siteOf(op));
  hash_ = (hash_ + word) * 0x9E3779B97F4A7C15U + 1;
}

void GradientReader::addMetric(const AssembledOperation& op,
                               const KnownCall& known) {
  if (table_.definitions.groups()[known.local].members.size() < 2) return;
  const std::uint32_t group = groups_[known.local];
  auto cycles = std::find_if(
      found_.cycles.begin(), found_.cycles.end(),
      [&](const MetricCycles& each) { return each.metric.group == group; });
  if (cycles == found_.cycles.end()) {
    if (found_.cycles.size() == RankGradients::kMaxMetrics) return;
    MetricCycles made;
    made.metric = firstCall(op, known);
    cycles = found_.cycles.insert(cycles, std::move(made));
  }
  if (found_.calls == cycles->reductions_before) return;
  cycles->reductions_before = found_.calls;
  ++cycles->count;
  if (cycles->hashes.size() < MetricCycles::kMaxCompared) {
    cycles->hashes.push_back(hash_);
  }
}

void GradientReader::addGather(const AssembledOperation& op,
                               const KnownCall& known) {
  const std::uint32_t group = groups_[known.local];
  auto gathers = std::find_if(
      found_.gathers.begin(), found_.gathers.end(),
      [&](const GroupGathers& each) { return each.group == group; });
  if (gathers == found_.gathers.end()) {
    GroupGathers made;
    made.group = group;
    made.first = firstCall(op, known);
    gathers = found_.gathers.insert(gathers, std::move(made));
  }
  ++gathers->calls;
  gathers->bytes += known.signature.bytes_out;
  const auto step = table_.marks.indexOf(op.id);
  if (!step || gathers->last_step == *step) return;
  gathers->last_step = *step;
  ++gathers->steps;
}

FirstCall GradientReader::firstCall(const AssembledOperation& op,
                                    const KnownCall& known) {
  return {groups_[known.local], op.seq, known.signature, siteOf(op)};
}

const std::string& GradientReader::siteOf(const AssembledOperation& op) {
  const auto [site, is_new] = sites_.try_emplace(op.stack);
  if (is_new) site->second = table_.siteOf(op);
  return site->second;
}

}  // namespace traced
