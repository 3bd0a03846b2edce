#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "analysis/match/match.h"
#include "analysis/stream/names.h"
#include "analysis/stream/operation_kinds.h"
#include "analysis/stream/operation_values.h"
#include "cli/common/event_words.h"
#include "cli/export/export_rows.h"
#include "phrasing/text.h"
#include "trace_io/call_text.h"
#include "trace_io/operation_line.h"
#include "trace_io/wrapping.h"

namespace traced {
namespace {

// Summary of the members of a coalesced batch.
struct BatchText {
  static constexpr std::size_t kMaxShapes = 8;

  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  std::uint64_t messages = 0;
  std::uint64_t sent = 0;
  // Global ranks.
  absl::btree_set<std::uint32_t> to;
  absl::btree_set<std::uint32_t> from;
  // The first kMaxShapes distinct shapes.
  std::vector<std::string> shapes;
  std::string last;
};

bool isBatch(const ExportedCall& call) {
  return call.call && call.call->op() == v1::OPERATION_COALESCED;
}

// Adds a member to the summary of its batch.
void addTo(BatchText& batch, const ExportedCall& call) {
  const std::uint64_t bytes = call.call ? largerSide(*call.call) : 0;
  ++batch.calls;
  batch.bytes += bytes;
  batch.last = operationName(call.table, call.op);
  if (!call.call) return;
  const std::string shape = shapeText(*call.call);
  const auto known = std::find(batch.shapes.begin(), batch.shapes.end(), shape);
  if (known == batch.shapes.end() &&
      batch.shapes.size() < BatchText::kMaxShapes) {
    batch.shapes.push_back(shape);
  }
  if (!isPointToPoint(call.call->op())) return;
  ++batch.messages;
  const bool sends = call.call->op() == v1::OPERATION_SEND;
  if (sends) batch.sent += bytes;
  if (const auto peer = call.table.peerOf(call.op, *call.call)) {
    (sends ? batch.to : batch.from).insert(*peer);
  }
}

// Returns whether the batch consists of sends and receives only, as from
// batch_isend_irecv.
bool isExchange(const BatchText& batch) {
  return batch.calls > 0 && batch.messages == batch.calls;
}

// Returns the ranks after `way`, or "" without ranks.
std::string ranksText(const char* way,
                      const absl::btree_set<std::uint32_t>& ranks) {
  return ranks.empty() ? "" : absl::StrCat(way, absl::StrJoin(ranks, ","));
}

std::string batchText(const BatchText& batch) {
  std::string text = absl::StrCat(" of ", countOf(batch.calls, "call"));
  if (isExchange(batch)) {
    absl::StrAppend(&text, ", sent ", preciseSizeText(batch.sent),
                    ranksText(" to ", batch.to), ", received ",
                    preciseSizeText(batch.bytes - batch.sent),
                    ranksText(" from ", batch.from));
  } else {
    absl::StrAppend(&text, ", ", preciseSizeText(batch.bytes));
  }
  if (batch.calls == 0) return text;
  return absl::StrCat(
      text, ", shapes ", absl::StrJoin(batch.shapes, " "),
      batch.shapes.size() == BatchText::kMaxShapes ? " ..." : "", ", last ",
      batch.last);
}

std::optional<std::int64_t> lasted(Instant from, Instant to) {
  const auto ns = between(from, to);
  if (!ns) return std::nullopt;
  return static_cast<std::int64_t>(*ns);
}

class TextWriter : public ExportWriter {
 public:
  void addRank(std::ostream& out, const StreamTable& table,
               const std::vector<ExportedCall>& calls) override {
    batches_.clear();
    counts_.clear();
    members_.clear();
    values_ = operationValues(table);
    for (const ExportedCall& call : calls) {
      if (call.op.batch == 0 || isBatch(call)) continue;
      addTo(batches_[call.op.batch], call);
    }
    const EventWords words(table);
    absl::Span<const Marks::Event> events = table.marks.events();
    const auto writeEvents = [&](std::uint64_t before) {
      while (!events.empty() && events.front().position < before) {
        out << printable(lineOf(table, words, events.front())) << "\n";
        events.remove_prefix(1);
      }
    };
    for (const ExportedCall& call : calls) {
      writeEvents(call.op.id);
      const std::string group = groupLine(call);
      if (!group.empty()) out << printable(group) << "\n";
      out << printable(lineOf(call)) << "\n";
    }
    writeEvents(std::numeric_limits<std::uint64_t>::max());
  }

 private:
  static std::string beginOf(const std::string& kind, const StreamTable& table,
                             Instant at) {
    const v1::Header& header = table.header;
    return lineBegin(
        kind, header.rank(),
        wrappingDifference(at.ns(), header.started().monotonic_ns()));
  }

  static std::string lineOf(const StreamTable& table, const EventWords& words,
                            const Marks::Event& event) {
    return absl::StrCat(
        beginOf(
            absl::StrCat("[", absl::AsciiStrToUpper(nameOf(event.kind)), "]"),
            table, event.at),
        " ", words.text(event));
  }

  // Describes a group's members before its first call. Returns "" for later
  // calls.
  std::string groupLine(const ExportedCall& call) {
    const std::uint32_t local =
        call.call ? call.table.groupOf(*call.call) : StreamDefinitions::kNone;
    if (local == StreamDefinitions::kNone || members_.contains(local)) {
      return "";
    }
    const GroupDefinition& group = call.table.definitions.groups()[local];
    const std::string& members = members_[local] = group.members.text();
    std::string line =
        absl::StrCat(beginOf("[GROUP]", call.table, call.op.issued), " ",
                     call.group, ": ", group.backend);
    if (group.members.size() == 0) return line;
    return absl::StrCat(line, ", ", countOf(group.members.size(), "rank"), " ",
                        members, ", here rank ", group.group_rank,
                        " of the group");
  }

  std::string lineOf(const ExportedCall& call) {
    const BatchText* batch = isBatch(call) ? &batches_[call.op.batch] : nullptr;
    OperationLine line;
    if (batch && isExchange(*batch)) line.kind = "[BATCH]";
    line.rank = call.table.header.rank();
    line.issued_ns = wrappingDifference(
        call.op.issued.ns(), call.table.header.started().monotonic_ns());
    line.step = call.table.marks.stepOf(call.op.id);
    line.operation = operationName(call.table, call.op);
    line.seq = call.op.seq;
    line.group = call.group;
    line.group_size = call.group_size;
    if (call.call) describe(call, batch, line);
    line.host_ns = lasted(call.op.issued, call.op.returned);
    line.end_ns = lasted(call.op.issued, call.op.ended);
    line.ran_ns = lasted(call.op.started, call.op.ended);
    line.waited_ns = lasted(call.op.wait_began, call.op.wait_ended);
    line.end_source = call.op.end_source;
    if (const auto values = values_.find(call.op.id); values != values_.end()) {
      line.inputs = values->second.inputs;
      line.outputs = values->second.outputs;
    }
    line.failed = call.op.failed;
    const std::string* error =
        call.op.error ? call.table.definitions.text(call.op.error) : nullptr;
    if (error) line.error = *error;
    return line.text();
  }

  // Sets the tensors of a call, and how often an equal call was made before.
  void describe(const ExportedCall& call, const BatchText* batch,
                OperationLine& line) {
    line.call = call.call;
    const auto members = members_.find(call.table.groupOf(*call.call));
    if (members != members_.end()) line.members = members->second;
    if (batch) {
      line.parts = absl::StrCat(", batch ", call.op.batch, batchText(*batch));
    } else {
      line.batch = call.op.batch;
    }
    if (call.call->simulated()) return;
    line.count = ++counts_[std::pair(line.operation, shapeText(*call.call))];
  }

  absl::flat_hash_map<std::uint64_t, BatchText> batches_;
  OperationValues values_;
  // The members of groups that were already described, by the group's index in
  // the stream.
  absl::flat_hash_map<std::uint32_t, std::string> members_;
  // Number of calls so far, by operation and shape.
  absl::flat_hash_map<std::pair<std::string, std::string>, std::uint64_t>
      counts_;
};

}  // namespace

std::unique_ptr<ExportWriter> makeTextWriter(RowReader) {
  return std::make_unique<TextWriter>();
}

}  // namespace traced
