#include "analysis/flight_recorder/dump_table.h"

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/flight_recorder/dump.h"
#include "analysis/flight_recorder/dump_definitions.h"
#include "analysis/flight_recorder/vocabulary.h"
#include "analysis/stream/operation_kinds.h"
#include "base/utf8.h"
#include "trace_io/chunk_format.h"

namespace traced {
namespace {

// Texts of a dump may have any length and contain any bytes.
std::string shortText(std::string_view text) {
  constexpr std::size_t kMaxBytes = 512;
  return toValidUtf8(text.substr(0, kMaxBytes));
}

std::int64_t latestOf(const DumpEntry& entry) {
  return std::max({entry.created_ns.value_or(0), entry.started_ns.value_or(0),
                   entry.completed_ns.value_or(0)});
}

class TableBuilder {
 public:
  TableBuilder(const Dump& dump, const v1::Header& header)
      : dump_(dump),
        calls_(payload_, dump.bytes()),
        sites_(payload_, dump.bytes()) {
    table_.header = header;
    table_.capabilities = {};
    table_.snapshot = true;
  }

  StreamTable build() && {
    countRecords();
    findWhetherEndsAreReported();
    for (const DumpGroup& group : dump_.groups()) {
      // Gloo reports a group without a name that no entry uses.
      if (!group.name.empty()) groupFor(group.name, group.desc);
    }
    for (std::size_t i = 0; i < dump_.entryCount(); ++i) {
      addEntry(dump_.entry(i), i);
    }
    table_.definitions.add(payload_);
    table_.definitions.identifyByName();
    table_.rows_found = table_.operations.size();
    addProgress();
    table_.marks.finish(Instant(table_.header.started().monotonic_ns()),
                        table_.last);
    table_.findOperationSpan();
    return std::move(table_);
  }

 private:
  using PairKey = std::tuple<std::uint32_t, std::int64_t, std::int64_t>;
  using LaunchKey = std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>;

  // Counts the records that the dump lacks. Record ids count up from 0, so the
  // highest shows how many existed.
  void countRecords() {
    const std::uint64_t in_dump = dump_.entryCount();
    std::uint64_t recorded = in_dump;
    for (std::size_t i = 0; i < dump_.entryCount(); ++i) {
      const auto id = dump_.entry(i).record_id;
      if (id) recorded = std::max(recorded, *id + 1);
    }
    table_.not_in_dump = recorded - in_dump;
    table_.accounts.set_produced(recorded);
    table_.accounts.set_stored(in_dump);
  }

  void addEntry(const DumpEntry& entry, std::size_t index) {
    if (!entry.created_ns) return;
    const DumpGroupRef group = groupFor(entry.group_name, entry.group_desc);
    const ProfilingName name = parseProfilingName(entry.profiling_name);
    noteBackend(group.id, name.backend);

    AssembledOperation op;
    op.id = entry.record_id.value_or(index);
    op.call = calls_.add(entry, group) - 1;
    op.thread = threadFor(entry);
    setInstants(op, entry);
    const v1::Call& call = payload_.call(static_cast<int>(op.call));
    numberOperation(op, entry, call, group.id);
    batchOperation(op, entry, call, group.id);
    op.stack = sites_.add(entry.frames);
    table_.operations.push_back(op);
  }

  // Sets the times of an operation. A discovered end is an upper bound. The
  // start of a finished operation is known if its duration was measured; that
  // of an unfinished one, if it was discovered.
  void setInstants(AssembledOperation& op, const DumpEntry& entry) {
    op.issued = Instant(*entry.created_ns);
    updateLast(latestOf(entry));
    if (!entry.completed_ns) {
      if (entry.started_ns) op.started = Instant(*entry.started_ns);
      op.over = entry.retired;
      return;
    }
    op.ended = Instant(*entry.completed_ns);
    op.end_source = v1::END_SOURCE_COMPLETION_HOOK;
    const double ns = entry.duration_ms.value_or(-1) * 1e6;
    if (ns >= 0 && ns < static_cast<double>(*entry.completed_ns)) {
      op.started = Instant(*entry.completed_ns - static_cast<std::int64_t>(ns));
    }
  }

  // Sets the sequence number. Collectives have that of their group. The number
  // of sends and receives counts those of this rank, whatever the peer. They
  // are therefore renumbered per ordered pair, which is correct only if none is
  // missing.
  void numberOperation(AssembledOperation& op, const DumpEntry& entry,
                       const v1::Call& call, std::uint32_t group) {
    if (!isPointToPoint(call.op())) {
      if (call.op() != v1::OPERATION_COALESCED) op.seq = entry.collective_seq;
      return;
    }
    const auto [first, is_first] =
        first_p2p_seq_.try_emplace(group, entry.p2p_seq);
    const bool complete = table_.not_in_dump == 0 && first->second <= 1;
    if (!complete || call.peer_plus_1() == 0) return;
    const std::int64_t peer = call.peer_plus_1() - 1;
    const bool sends = call.op() == v1::OPERATION_SEND;
    op.seq = ++pair_seq_[PairKey{group, sends ? -1 : peer, sends ? peer : -1}];
  }

  // Sets the batch of an operation. The members of a coalesced batch precede it
  // and have the same two numbers. A batch of sends and receives has no number
  // in common with its peers.
  void batchOperation(AssembledOperation& op, const DumpEntry& entry,
                      const v1::Call& call, std::uint32_t group) {
    const LaunchKey key{group, entry.collective_seq, entry.p2p_seq};
    if (call.op() != v1::OPERATION_COALESCED) {
      launches_[key].push_back(
          static_cast<std::uint32_t>(table_.operations.size()));
      return;
    }
    op.batch = ++batches_;
    bool is_p2p = entry.is_p2p;
    for (const std::uint32_t member : launches_[key]) {
      AssembledOperation& child = table_.operations[member];
      child.batch = op.batch;
      const v1::Call& child_call = payload_.call(static_cast<int>(child.call));
      is_p2p |= isPointToPoint(child_call.op());
    }
    launches_.erase(key);
    if (!is_p2p) op.seq = entry.collective_seq;
  }

  DumpGroupRef groupFor(std::string_view name, std::string_view desc) {
    const auto next = static_cast<std::uint32_t>(payload_.group_size() + 1);
    const auto [place, is_new] =
        groups_.try_emplace(name, DumpGroupRef{next, nullptr, false});
    DumpGroupRef& ref = place->second;
    if (!is_new) return ref;
    ref.group = dump_.groupNamed(name);
    ref.is_world = desc == Dump::kWorldDesc;
    v1::Group& group = *payload_.add_group();
    group.set_id(next);
    group.set_name(shortText(name));
    group.set_desc(shortText(desc));
    if (ref.group) {
      group.set_backend(shortText(ref.group->backend));
      setMembers(group, ref.group->members);
    }
    return ref;
  }

  void setMembers(v1::Group& group, const std::vector<std::uint32_t>& members) {
    group.set_size(static_cast<std::uint32_t>(members.size()));
    for (std::size_t i = 0; i < members.size(); ++i) {
      v1::RankRange& range = *group.add_member();
      range.set_first(members[i]);
      range.set_count(1);
      if (members[i] == table_.header.rank()) {
        group.set_group_rank(static_cast<std::uint32_t>(i));
      }
    }
  }

  void noteBackend(std::uint32_t group, std::string_view backend) {
    v1::Group& known = *payload_.mutable_group(static_cast<int>(group - 1));
    if (known.backend().empty()) known.set_backend(shortText(backend));
  }

  // Returns the id of an entry's thread, adding it if needed. Threads are
  // identified by a number of the process's own, not by a kernel id.
  std::uint32_t threadFor(const DumpEntry& entry) {
    if (entry.thread_id.empty() && entry.thread_name.empty()) return 0;
    const auto next = static_cast<std::uint32_t>(payload_.thread_size() + 1);
    const auto [place, is_new] = threads_.try_emplace(
        std::pair(entry.thread_id, entry.thread_name), next);
    if (is_new) {
      v1::Thread& thread = *payload_.add_thread();
      thread.set_id(next);
      thread.set_name(shortText(entry.thread_name));
    }
    return place->second;
  }

  void addProgress() {
    const auto names = groupNamesById(dump_);
    for (const DumpProgress& progress : dump_.progress()) {
      GroupProgress& known = table_.progress.emplace_back();
      known.last_enqueued = progress.last_enqueued;
      known.last_started = progress.last_started;
      known.last_completed = progress.last_completed;
      const auto name = names.find(progress.group_id);
      if (name == names.end()) continue;
      const auto ref = groups_.find(name->second);
      if (ref == groups_.end()) continue;
      known.group = table_.definitions.group(ref->second.id);
      if (known.group == StreamDefinitions::kNone) continue;
      known.name = table_.definitions.groups()[known.group].name;
    }
  }

  // Determines whether an operation without an end is known not to have ended.
  // NCCL's watchdog reports ends; other recorders are trusted only if they did
  // so in this dump.
  void findWhetherEndsAreReported() {
    bool some_reported = std::any_of(
        dump_.progress().begin(), dump_.progress().end(),
        [](const DumpProgress& group) { return group.last_completed; });
    bool all_reported = true;
    for (std::size_t i = 0; i < dump_.entryCount() && !some_reported; ++i) {
      const DumpEntry entry = dump_.entry(i);
      some_reported = entry.completed_ns || entry.retired;
      all_reported &=
          engineTraits(parseProfilingName(entry.profiling_name).backend)
              .dumps_have_ends;
    }
    if (some_reported || all_reported)
      table_.capabilities = {SourceCapability::kEnds};
  }

  void updateLast(std::int64_t ns) {
    if (!table_.last.known() || ns > table_.last.ns())
      table_.last = Instant(ns);
  }

  const Dump& dump_;
  v1::Payload payload_;
  DumpCalls calls_;
  DumpSites sites_;
  StreamTable table_;
  absl::flat_hash_map<std::string_view, DumpGroupRef> groups_;
  absl::flat_hash_map<std::pair<std::string_view, std::string_view>,
                      std::uint32_t>
      threads_;
  absl::flat_hash_map<std::uint32_t, std::uint64_t> first_p2p_seq_;
  absl::flat_hash_map<PairKey, std::uint64_t> pair_seq_;
  absl::flat_hash_map<LaunchKey, std::vector<std::uint32_t>> launches_;
  std::uint64_t batches_ = 0;
};

}  // namespace

v1::Header headerOfDump(const Dump& dump, std::uint32_t rank,
                        std::uint64_t stream_id) {
  v1::Header header;
  header.set_schema(kSchema);
  header.set_stream_id(stream_id);
  header.set_rank(rank);
  std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < dump.entryCount(); ++i) {
    first_ns = std::min(first_ns, dump.entry(i).created_ns.value_or(first_ns));
  }
  if (first_ns == std::numeric_limits<std::int64_t>::max()) first_ns = 0;
  header.mutable_started()->set_monotonic_ns(first_ns);
  header.mutable_started()->set_realtime_ns(first_ns);
  for (const DumpGroup& group : dump.groups()) {
    if (group.desc != Dump::kWorldDesc) continue;
    for (const std::uint32_t member : group.members) {
      header.set_world_size(std::max(header.world_size(), member + 1));
    }
  }
  auto& versions = *header.mutable_library_versions();
  versions["flight_recorder"] = shortText(dump.version());
  if (!dump.libraryVersion().empty()) {
    versions["communication"] = shortText(dump.libraryVersion());
  }
  return header;
}

StreamTable tableOfDump(const Dump& dump, const v1::Header& header) {
  return TableBuilder(dump, header).build();
}

}  // namespace traced
