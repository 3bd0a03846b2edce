#include <algorithm>
#include <limits>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "analysis/call_text.h"
#include "analysis/match.h"
#include "analysis/names.h"
#include "analysis/operation_kinds.h"
#include "cli/event_words.h"
#include "cli/export_writer.h"
#include "cli/text.h"

namespace traced {
namespace {

// The members of a coalesced batch.
struct Batch {
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
};

std::uint64_t bytesOf(const ExportedCall& call) {
  return call.call ? std::max(call.call->bytes_in(), call.call->bytes_out())
                   : 0;
}

bool isBatch(const ExportedCall& call) {
  return call.call && call.call->op() == v1::OPERATION_COALESCED;
}

const char* kindOf(const ExportedCall& call) {
  if (call.op.failed) return "[ERROR]";
  if (!call.call) return "[TRACE]";
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

std::string mebibytes(std::uint64_t bytes) {
  return absl::StrFormat("%.2f MiB", static_cast<double>(bytes) / (1 << 20));
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
    for (const ExportedCall& call : calls) {
      if (call.op.batch == 0 || isBatch(call)) continue;
      Batch& batch = batches_[call.op.batch];
      ++batch.calls;
      batch.bytes += bytesOf(call);
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

  std::string lineOf(const ExportedCall& call) {
    std::string line = beginOf(kindOf(call), call.table, call.op.issued);
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

  // What was handed over, and how often that was done before.
  std::string whatText(const ExportedCall& call) {
    const v1::Call& made = *call.call;
    std::string text;
    if (isBatch(call)) {
      const Batch& batch = batches_[call.op.batch];
      absl::StrAppend(&text, ", batch ", call.op.batch, " of ",
                      countOf(batch.calls, "call"), ", ",
                      mebibytes(batch.bytes));
    } else if (made.tensors_in() + made.tensors_out() > 0 ||
               bytesOf(call) > 0) {
      absl::StrAppend(&text, ", ", dtypeText(made), " ", shapeText(made), " ",
                      mebibytes(bytesOf(call)));
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

  absl::flat_hash_map<std::uint64_t, Batch> batches_;
  // Per operation and shape.
  absl::flat_hash_map<std::pair<std::string, std::string>, std::uint64_t>
      counts_;
};

}  // namespace

std::unique_ptr<ExportWriter> makeTextWriter() {
  return std::make_unique<TextWriter>();
}

}  // namespace traced
