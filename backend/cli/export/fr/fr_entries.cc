#include "cli/export/fr/fr_entries.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analysis/stream/operation_kinds.h"
#include "cli/export/fr/fr_names.h"
#include "phrasing/text.h"

namespace traced::fr {

std::vector<std::string> namesOfGroups(const GroupCatalog& groups) {
  std::vector<std::string> names;
  std::map<std::pair<std::string, std::string>, int> uses;
  for (const JobGroup& group : groups.groups()) {
    std::string name = printable(group.name.empty() ? group.label : group.name);
    const int use = ++uses[{name, group.members.text()}];
    if (use > 1) absl::StrAppend(&name, "#", use);
    names.push_back(std::move(name));
  }
  return names;
}

Entries::Entries(const JobView& view, std::uint32_t stream,
                 const std::vector<std::string>& group_names)
    : view_(view),
      stream_(stream),
      table_(view.run().streams[stream].table),
      group_names_(group_names),
      counts_(table_.definitions.groups().size()) {}

// Assigns each batch one number: that of its last member.
void Entries::findBatches(const std::vector<ViewedCell>& cells) {
  for (const ViewedCell& cell : cells) {
    const AssembledOperation& op = table_.operations[cell.operation];
    const v1::Call* call = table_.callOf(op);
    if (op.batch == 0 || !call) continue;
    Batch& batch = batches_[op.batch];
    if (isPointToPoint(call->op())) {
      batch.is_p2p = true;
    } else {
      batch.collective = std::max(batch.collective, op.seq);
    }
  }
}

void Entries::forEach(std::vector<ViewedCell> cells,
                      const std::function<void(const Json&)>& visit) {
  std::sort(cells.begin(), cells.end(),
            [](const ViewedCell& a, const ViewedCell& b) {
              return a.operation < b.operation;
            });
  findBatches(cells);
  for (const ViewedCell& cell : cells) {
    const auto entry = entryOf(table_.operations[cell.operation]);
    if (entry) {
      visit(*entry);
    } else {
      ++left_out_;
    }
  }
}

std::optional<Json> Entries::entryOf(const AssembledOperation& op) {
  const v1::Call* call = table_.callOf(op);
  if (!call || !nameOf(call->op()) || !op.issued.known()) return std::nullopt;
  const std::uint32_t local = table_.groupOf(*call);
  if (local == StreamDefinitions::kNone) return std::nullopt;
  const bool numbered =
      op.seq > 0 || op.batch > 0 || isPointToPoint(call->op());
  if (!numbered) return std::nullopt;
  const auto& stream = view_.run().streams[stream_];
  const std::uint32_t group = stream.group_indices[local];
  Json entry;
  entry["record_id"] = entries_++;
  entry["pg_id"] = local;
  entry["process_group"] = {group_names_[group],
                            printable(view_.run().groups.groups()[group].desc)};
  const v1::Thread* thread = table_.definitions.thread(op.thread);
  entry["thread_name"] = thread ? printable(thread->name()) : "";
  entry["thread_id"] = thread ? absl::StrCat(thread->tid()) : "";
  number(entry, op, *call, counts_[local]);
  entry["profiling_name"] =
      nameText(op, *call, table_.definitions.groups()[local]);
  addTensors(entry, *call);
  addTimes(entry, op);
  entry["timeout_ms"] =
      call->has_timeout_ms() ? Json(call->timeout_ms()) : Json();
  entry["frames"] = framesOf(op);
  return entry;
}

// Returns the next number for a message. Skips the numbers of neighbouring
// collectives: torchfrtrace treats adjacent entries of a group with equal
// numbers as a batch.
std::uint64_t Entries::nextMessage(Count& count) {
  std::uint64_t next = count.p2p ? *count.p2p + 1 : 0;
  const bool is_taken =
      next > 0 && (next == count.collective || next == count.collective + 1);
  if (is_taken) next = count.collective + 2;
  count.p2p = next;
  return next;
}

// Sets the numbers of an entry. Collectives have the number that all ranks
// share. Messages have the number of the preceding collective and a number that
// each rank counts itself.
void Entries::number(Json& entry, const AssembledOperation& op,
                     const v1::Call& call, Count& count) {
  bool is_p2p = isPointToPoint(call.op());
  Batch* batch = op.batch ? &batches_[op.batch] : nullptr;
  if (batch) is_p2p |= batch->is_p2p;
  const std::uint64_t collective = batch    ? batch->collective
                                   : is_p2p ? 0
                                            : op.seq;
  count.collective = std::max(count.collective, collective);
  std::uint64_t p2p = count.p2p.value_or(0);
  if (is_p2p && batch) {
    if (!batch->p2p) batch->p2p = nextMessage(count);
    p2p = *batch->p2p;
  } else if (is_p2p) {
    p2p = nextMessage(count);
  }
  const std::uint64_t shown = collective ? collective : count.collective;
  entry["collective_seq_id"] = shown;
  entry["p2p_seq_id"] = p2p;
  entry["op_id"] = ++count.op;
  entry["is_p2p"] = is_p2p;
  const auto progressed = [&](std::int64_t& to) {
    if (!is_p2p) to = std::max(to, static_cast<std::int64_t>(shown));
  };
  progressed(count.enqueued);
  if (op.started.known() || op.ended.known()) progressed(count.started);
  if (op.ended.known()) progressed(count.completed);
}

// Returns the entry's name. torchfrtrace up to torch 2.11 accepts only the
// prefix "nccl:", whatever the library. pg_config names the actual backend.
std::string Entries::nameText(const AssembledOperation& op,
                              const v1::Call& call,
                              const GroupDefinition& group) const {
  std::string text = absl::StrCat("nccl:", nameOf(call.op()));
  const bool sends = call.op() == v1::OPERATION_SEND;
  if (!isPointToPoint(call.op())) return text;
  std::uint32_t peer_plus_1 = call.peer_plus_1();
  if (peer_plus_1 == 0) peer_plus_1 = op.source_rank_plus_1;
  absl::StrAppend(&text, " ", group.group_rank, sends ? "->" : "<-");
  if (peer_plus_1 == 0) return text + "?";
  return absl::StrCat(text, peer_plus_1 - 1);
}

void Entries::addTimes(Json& entry, const AssembledOperation& op) const {
  const auto instant = [&](Instant at) {
    return at.known() ? Json(view_.wallNsOf(stream_, at)) : Json();
  };
  entry["time_created_ns"] = instant(op.issued);
  entry["state"] = op.ended.known()     ? "completed"
                   : op.started.known() ? "started"
                                        : "scheduled";
  entry["time_discovered_started_ns"] = instant(op.started);
  entry["time_discovered_completed_ns"] = instant(op.ended);
  if (const auto ns = between(op.started, op.ended)) {
    entry["duration_ms"] = static_cast<double>(*ns) / 1e6;
  }
  entry["retired"] = op.ended.known() || op.over || op.failed;
}

Json Entries::framesOf(const AssembledOperation& op) const {
  Json frames = Json::array();
  const v1::Stack* stack = table_.stackOf(op);
  if (!stack) return frames;
  for (const v1::Frame* frame : table_.definitions.frames(*stack)) {
    if (!frame) continue;
    frames.push_back({{"name", printable(frame->function())},
                      {"filename", printable(frame->file())},
                      {"line", frame->line()}});
  }
  return frames;
}

Json Entries::groups() const {
  // Limits the members listed: a file may claim groups of any size.
  constexpr std::uint64_t kMaxListed = std::uint64_t{1} << 24;
  std::uint64_t listed = 0;
  // Index of each name: finding a key in the object would be a linear search.
  absl::flat_hash_map<std::string, std::size_t> index_of_group;
  Json::object_t config;
  const auto& stream = view_.run().streams[stream_];
  const auto& groups = table_.definitions.groups();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::uint32_t index = stream.group_indices[i];
    const JobGroup& group = view_.run().groups.groups()[index];
    std::vector<std::uint32_t> ranks;
    listed += group.members.size();
    if (listed <= kMaxListed) {
      group.members.forEach([&](std::uint32_t rank) { ranks.push_back(rank); });
    }
    const std::string& name = group_names_[index];
    const auto [entry, is_new] =
        index_of_group.try_emplace(name, config.size());
    if (is_new) config.emplace_back(name, nullptr);
    config.begin()[static_cast<std::ptrdiff_t>(entry->second)].second = {
        {"name", name},
        {"desc", printable(group.desc)},
        {"ranks", absl::StrCat("[", absl::StrJoin(ranks, ", "), "]")},
        {"backend", printable(group.backend)}};
  }
  return config;
}

Json Entries::progress() const {
  Json::object_t status;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    Json& group = status.emplace_back(absl::StrCat(i), nullptr).second;
    group = {{"last_enqueued_collective", counts_[i].enqueued},
             {"last_started_collective", counts_[i].started},
             {"last_completed_collective", counts_[i].completed}};
  }
  return status;
}

}  // namespace traced::fr
