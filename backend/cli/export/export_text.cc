#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "analysis/match/match.h"
#include "analysis/stream/call_site.h"
#include "analysis/stream/names.h"
#include "analysis/stream/operation_kinds.h"
#include "cli/common/event_words.h"
#include "cli/export/export_rows.h"
#include "phrasing/text.h"

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

// Returns the larger of input and output, in bytes. Returns 0 if the call is
// unknown.
std::uint64_t bytesOf(const ExportedCall& call) {
  return call.call ? std::max(call.call->bytes_in(), call.call->bytes_out())
                   : 0;
}

bool isBatch(const ExportedCall& call) {
  return call.call && call.call->op() == v1::OPERATION_COALESCED;
}

// Adds a member to the summary of its batch.
void addTo(BatchText& batch, const ExportedCall& call) {
  const std::uint64_t bytes = bytesOf(call);
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

const char* kindOf(const ExportedCall& call, const BatchText* batch) {
  if (call.op.failed) return "[ERROR]";
  if (!call.call) return "[TRACE]";
  if (batch && isExchange(*batch)) return "[BATCH]";
  switch (call.call->op()) {
    case v1::OPERATION_BARRIER:
    case v1::OPERATION_MONITORED_BARRIER:
      return "[BARRIER]";
    case v1::OPERATION_COALESCED:
      return "[COALESCE]";
    default:
      return "[TRACE]";
  }
}

// Returns the size as text. From 1 MiB on, it keeps the hundredths that
// bytesText() drops.
std::string sizeText(std::uint64_t bytes) {
  constexpr std::uint64_t kMiB = 1 << 20;
  if (bytes < kMiB) return bytesText(bytes);
  return absl::StrFormat("%.2f MiB", static_cast<double>(bytes) / double{kMiB});
}

// Returns the ranks after `way`, or "" without ranks.
std::string ranksText(const char* way,
                      const absl::btree_set<std::uint32_t>& ranks) {
  return ranks.empty() ? "" : absl::StrCat(way, absl::StrJoin(ranks, ","));
}

std::string batchText(const BatchText& batch) {
  std::string text = absl::StrCat(" of ", countOf(batch.calls, "call"));
  if (isExchange(batch)) {
    absl::StrAppend(&text, ", sent ", sizeText(batch.sent),
                    ranksText(" to ", batch.to), ", received ",
                    sizeText(batch.bytes - batch.sent),
                    ranksText(" from ", batch.from));
  } else {
    absl::StrAppend(&text, ", ", sizeText(batch.bytes));
  }
  if (batch.calls == 0) return text;
  return absl::StrCat(
      text, ", shapes ", absl::StrJoin(batch.shapes, " "),
      batch.shapes.size() == BatchText::kMaxShapes ? " ..." : "", ", last ",
      batch.last);
}

std::string partnersText(const v1::Call& call) {
  std::string text;
  if (call.reduce_op()) absl::StrAppend(&text, ", ", nameOf(call.reduce_op()));
  if (call.root_global_plus_1() > 0) {
    absl::StrAppend(&text, ", root ", call.root_global_plus_1() - 1);
  }
  if (isPointToPoint(call.op())) {
    const char* way = call.op() == v1::OPERATION_SEND ? ", to " : ", from ";
    const std::uint32_t peer = call.peer_global_plus_1();
    absl::StrAppend(&text, way, peer ? absl::StrCat(peer - 1) : "any");
  }
  if (call.has_async()) {
    absl::StrAppend(&text, call.async() ? ", async" : ", sync");
  }
  if (call.simulated()) absl::StrAppend(&text, ", simulated");
  if (call.graph_plus_1() > 0) absl::StrAppend(&text, ", captured");
  return text;
}

// Returns a duration in milliseconds, or "-" if it is unknown.
std::string lastedText(Instant from, Instant to) {
  const auto ns = between(from, to);
  return ns ? absl::StrFormat("%.3f ms", static_cast<double>(*ns) / 1e6) : "-";
}

std::string timesText(const AssembledOperation& op) {
  std::string text =
      absl::StrCat(": host ", lastedText(op.issued, op.returned),
                   ", end after ", lastedText(op.issued, op.ended));
  if (op.end_source == v1::END_SOURCE_WAIT) text += " (seen at wait)";
  if (op.end_source == v1::END_SOURCE_COMPLETION_HOOK) text += " (by hook)";
  return absl::StrCat(text, ", waited ",
                      lastedText(op.wait_began, op.wait_ended));
}

// Returns the error of a failed operation, or "".
std::string errorText(const ExportedCall& call) {
  if (!call.op.failed) return "";
  const std::string* text =
      call.op.error ? call.table.definitions.text(call.op.error) : nullptr;
  return text ? absl::StrCat("; failed: ", *text) : "; failed";
}

class TextWriter : public ExportWriter {
 public:
  void addRank(std::ostream& out, const StreamTable& table,
               const std::vector<ExportedCall>& calls) override {
    batches_.clear();
    counts_.clear();
    groups_.clear();
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
    const double seconds =
        (static_cast<double>(at.ns()) -
         static_cast<double>(header.started().monotonic_ns())) /
        1e9;
    return absl::StrFormat("%s rank %d +%.6f s", kind, header.rank(), seconds);
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
    if (local == StreamDefinitions::kNone || !groups_.insert(local).second) {
      return "";
    }
    const GroupDefinition& group = call.table.definitions.groups()[local];
    std::string line =
        absl::StrCat(beginOf("[GROUP]", call.table, call.op.issued), " ",
                     call.group, ": ", group.backend);
    if (group.members.size() == 0) return line;
    return absl::StrCat(line, ", ", countOf(group.members.size(), "rank"), " ",
                        group.members.text(), ", here rank ", group.group_rank,
                        " of the group");
  }

  std::string lineOf(const ExportedCall& call) {
    const BatchText* batch = isBatch(call) ? &batches_[call.op.batch] : nullptr;
    std::string line = beginOf(kindOf(call, batch), call.table, call.op.issued);
    if (const auto step = call.table.marks.stepOf(call.op.id)) {
      absl::StrAppend(&line, " step ", *step);
    }
    absl::StrAppend(&line, " ", operationName(call.table, call.op));
    if (call.op.seq > 0) absl::StrAppend(&line, " #", call.op.seq);
    absl::StrAppend(&line, " on ", call.group, " (",
                    countOf(call.group_size, "rank"), ")");
    if (call.call) absl::StrAppend(&line, whatText(call));
    return absl::StrCat(line, timesText(call.op), errorText(call));
  }

  // Describes the tensors of a call, and how often an equal call was made
  // before.
  std::string whatText(const ExportedCall& call) {
    const v1::Call& made = *call.call;
    std::string text;
    if (isBatch(call)) {
      absl::StrAppend(&text, ", batch ", call.op.batch,
                      batchText(batches_[call.op.batch]));
    } else if (made.tensors_in() + made.tensors_out() > 0 ||
               bytesOf(call) > 0) {
      absl::StrAppend(&text, ", ", dtypeText(made), " ", shapeText(made), " ",
                      sizeText(bytesOf(call)));
    }
    absl::StrAppend(&text, partnersText(made));
    if (!isBatch(call) && call.op.batch > 0) {
      absl::StrAppend(&text, ", in batch ", call.op.batch);
    }
    if (made.simulated()) return text;
    const std::uint64_t count = ++counts_[std::pair(
        operationName(call.table, call.op), shapeText(made))];
    return absl::StrCat(text, ", call ", groupedText(count), " of this shape");
  }

  absl::flat_hash_map<std::uint64_t, BatchText> batches_;
  // Groups of the stream that were already described.
  absl::flat_hash_set<std::uint32_t> groups_;
  // Number of calls so far, by operation and shape.
  absl::flat_hash_map<std::pair<std::string, std::string>, std::uint64_t>
      counts_;
};

}  // namespace

std::unique_ptr<ExportWriter> makeTextWriter(RowReader) {
  return std::make_unique<TextWriter>();
}

}  // namespace traced
