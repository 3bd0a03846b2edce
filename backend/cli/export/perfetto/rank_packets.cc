#include "cli/export/perfetto/rank_packets.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analysis/stream/names.h"
#include "analysis/timeline/slices.h"
#include "analysis/view/job_view.h"
#include "cli/export/operation_facts.h"
#include "cli/export/perfetto/messages.h"
#include "cli/export/perfetto/sequence.h"
#include "phrasing/text.h"
#include "phrasing/verdict_text.h"

namespace traced::perfetto {

struct RowFacts;

class OperationWords {
 public:
  OperationWords(const JobView& view, std::uint32_t stream)
      : view_(view),
        stream_(stream),
        table_(view.run().streams[stream].table) {}

  std::string groupName(std::uint32_t group) const;
  std::string groupDescription(std::uint32_t group) const;

  // Returns a name such as "all_reduce 4 MiB", with unusual properties of the
  // operation added.
  std::uint64_t name(Sequence& to, const OperationSlice& slice);
  void annotate(Sequence& to, const OperationSlice& slice,
                const RowFacts& facts) const;
  std::uint64_t bytesOf(const OperationSlice& slice) const;
  bool sends(const OperationSlice& slice) const;

 private:
  const AssembledOperation& operationOf(const OperationSlice& slice) const {
    return table_.operations[slice.cell.operation];
  }

  const JobView& view_;
  const std::uint32_t stream_;
  const StreamTable& table_;
  // Interned names by the index of the call and its outcome; 0 means not
  // interned yet.
  std::vector<std::uint64_t> names_;
};

namespace {

constexpr std::size_t kEndings = 8;

std::string nameText(const StreamTable& table, const AssembledOperation& op,
                     std::uint64_t bytes, SpanEnd how) {
  std::string text = operationName(table, op);
  const v1::Call* call = table.callOf(op);
  if (bytes > 0) absl::StrAppend(&text, " ", bytesText(bytes));
  if (call && call->simulated()) text += " (simulated)";
  if (call && call->graph_plus_1() > 0) text += " (captured)";
  if (how == SpanEnd::kFailed) text += " (failed)";
  if (how == SpanEnd::kOpen) text += " (not ended)";
  if (how == SpanEnd::kNotSeen) text += " (end not seen)";
  return text;
}

}  // namespace

std::string OperationWords::groupName(std::uint32_t group) const {
  return group == GroupCatalog::kNone
             ? "operations of no known group"
             : absl::StrCat("group ", view_.run().groups.label(group));
}

std::string OperationWords::groupDescription(std::uint32_t group) const {
  if (group == GroupCatalog::kNone) return "";
  const JobGroup& known = view_.run().groups.groups()[group];
  return absl::StrCat(known.backend, ", ",
                      countOf(known.members.size(), "rank"), ": ",
                      known.members.text());
}

std::uint64_t OperationWords::bytesOf(const OperationSlice& slice) const {
  const v1::Call* call = table_.callOf(operationOf(slice));
  return call ? std::max(call->bytes_in(), call->bytes_out()) : 0;
}

bool OperationWords::sends(const OperationSlice& slice) const {
  const v1::Call* call = table_.callOf(operationOf(slice));
  return call && call->op() == v1::OPERATION_SEND;
}

std::uint64_t OperationWords::name(Sequence& to, const OperationSlice& slice) {
  const AssembledOperation& op = operationOf(slice);
  const auto text = [&] {
    return nameText(table_, op, bytesOf(slice), slice.how);
  };
  if (op.call == AssembledOperation::kNoCall) return to.name(text());
  const std::size_t index =
      op.call * kEndings + static_cast<std::size_t>(slice.how);
  if (index >= names_.size()) names_.resize((op.call + 1) * kEndings);
  if (names_[index] == 0) names_[index] = to.name(text());
  return names_[index];
}

void OperationWords::annotate(Sequence& to, const OperationSlice& slice,
                              const RowFacts& facts) const {
  const auto annotate = [&](const char* name, const CellValue& value) {
    if (const auto* text = std::get_if<std::string>(&value)) {
      to.annotate(name, *text);
    } else {
      to.annotate(name, std::get<std::uint64_t>(value));
    }
  };
  reportFacts(annotate, table_, slice, facts.latest);
}

namespace {

class RankWriter {
 public:
  RankWriter(Sequence& to, Tracks& tracks, const JobView& view,
             std::uint32_t stream, const RankTimeline& line,
             const std::vector<RowFacts>& rows)
      : to_(to),
        tracks_(tracks),
        view_(view),
        table_(view.run().streams[stream].table),
        line_(line),
        rows_(rows),
        words_(view, stream) {}

  void write() {
    const v1::Header& header = table_.header;
    process_ = tracks_.addProcess(
        to_, pidOf(header.rank()), absl::StrCat("rank ", header.rank()),
        header.host().empty()
            ? ""
            : absl::StrCat(header.host(), ", pid ", header.pid()));
    const std::uint64_t counters[] = {
        tracks_.addCounter(to_, process_, kLastOrder, "bytes in flight",
                           counter::kBytes),
        tracks_.addCounter(to_, process_, kLastOrder, "operations in flight",
                           counter::kCount)};
    to_.begin(counters);
    writeNamed("steps", line_.steps);
    writeVerdicts();
    describeGroups();
    writeOperations();
    writeNamed("waits of the program", line_.waits);
    writeNamed("modules", line_.modules);
    writeNamed("phases", line_.phases);
  }

 private:
  static constexpr std::int32_t kLastOrder = 1'000'000'000;

  static std::int32_t pidOf(std::uint32_t rank) {
    constexpr std::uint32_t kMax = 2'000'000'000;
    return kJobPid + 1 + static_cast<std::int32_t>(std::min(rank, kMax));
  }

  void writeNamed(const char* track, const std::vector<NamedSlice>& slices) {
    tracks_.writeTrack(to_, process_, ++track_order_, track, slices);
  }

  // Writes the verdicts. Culprits also show them on their own tracks.
  void writeVerdicts() {
    std::optional<LanedTrack> track;
    const auto& verdicts = view_.diagnosis().verdicts;
    for (const JobVerdict& verdict : verdicts) {
      const auto& culprits = verdict.culprits;
      const auto at = verdict.since_ns.value_or(view_.overview().last_ns);
      const bool is_culprit =
          std::binary_search(culprits.begin(), culprits.end(),
                             table_.header.rank()) &&
          isShowable(at);
      if (!is_culprit) continue;
      if (!track) {
        track = tracks_.addTrack(to_, process_, ++track_order_, "verdicts", 1);
      }
      to_.annotate("summary", summaryOf(view_.diagnosis().job, verdict));
      to_.write({.at_ns = at,
                 .type = event::kInstant,
                 .track = track->lane(0),
                 .name = to_.name(nameOf(verdict.kind))});
    }
  }

  void describeGroups() {
    std::map<std::uint32_t, std::uint32_t> lanes;
    for (const OperationSlice& slice : line_.operations) {
      std::uint32_t& count = lanes[slice.group];
      count = std::max(count, slice.lane + 1);
    }
    for (const auto& [group, count] : lanes) {
      groups_.emplace(group, tracks_.addTrack(to_, process_, ++track_order_,
                                              words_.groupName(group), count,
                                              words_.groupDescription(group)));
    }
  }

  // Writes packets in the order of time, ends before begins at the same
  // instant. The counters of operations in flight are therefore correct after
  // each packet.
  void writeOperations() {
    for (std::uint32_t i = 0; i < line_.operations.size(); ++i) {
      const OperationSlice& slice = line_.operations[i];
      endUntil(slice.begin_ns);
      begin(slice);
      if (!slice.open()) ends_.push({slice.end_ns, i});
    }
    endUntil(kNeverNs);
  }

  void endUntil(std::int64_t ns) {
    while (!ends_.empty() && ends_.top().first <= ns) {
      end(line_.operations[ends_.top().second]);
      ends_.pop();
    }
  }

  std::uint64_t trackOf(const OperationSlice& slice) const {
    return groups_.at(slice.group).lane(slice.lane);
  }

  void begin(const OperationSlice& slice) {
    const RowFacts& facts = rows_[slice.row];
    bytes_ += words_.bytesOf(slice);
    ++operations_;
    Event event{.at_ns = slice.begin_ns,
                .type = event::kBegin,
                .track = trackOf(slice),
                .name = words_.name(to_, slice)};
    event.correlation = facts.correlation;
    if (facts.flow && words_.sends(slice)) event.flow = facts.flow;
    event.counters[0] = static_cast<std::int64_t>(bytes_);
    event.counters[1] = operations_;
    words_.annotate(to_, slice, facts);
    to_.write(event);
    if (slice.parts) writeParts(slice);
  }

  void writeParts(const OperationSlice& slice) {
    const OperationSlice::Parts& parts = *slice.parts;
    const auto part = [&](const char* name, std::int64_t from,
                          std::int64_t to) {
      if (from != to) to_.writeSlice(trackOf(slice), name, from, to);
    };
    part("for peers", parts.ready_ns, parts.peers_ready_ns);
    part("transfer", parts.peers_ready_ns, slice.end_ns);
  }

  void end(const OperationSlice& slice) {
    const RowFacts& facts = rows_[slice.row];
    bytes_ -= words_.bytesOf(slice);
    --operations_;
    Event event{
        .at_ns = slice.end_ns, .type = event::kEnd, .track = trackOf(slice)};
    if (facts.flow && !words_.sends(slice)) event.end_of_flow = facts.flow;
    event.counters[0] = static_cast<std::int64_t>(bytes_);
    event.counters[1] = operations_;
    to_.write(event);
  }

  using End = std::pair<std::int64_t, std::uint32_t>;

  Sequence& to_;
  Tracks& tracks_;
  const JobView& view_;
  const StreamTable& table_;
  const RankTimeline& line_;
  const std::vector<RowFacts>& rows_;
  OperationWords words_;
  std::uint64_t process_ = 0;
  std::int32_t track_order_ = 0;
  std::map<std::uint32_t, LanedTrack> groups_;
  // End time and index of the slice.
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::uint64_t bytes_ = 0;
  std::int64_t operations_ = 0;
};

}  // namespace

void writeRank(Sequence& to, Tracks& tracks, const JobView& view,
               std::uint32_t stream, const RankTimeline& line,
               const std::vector<RowFacts>& rows) {
  RankWriter(to, tracks, view, stream, line, rows).write();
}

}  // namespace traced::perfetto
