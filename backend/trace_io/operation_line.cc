#include "trace_io/operation_line.h"

#include <algorithm>

#include "base/number_text.h"
#include "base/operation.h"
#include "trace_io/call_text.h"
#include "trace_io/names.h"

namespace traced {
namespace {

// Returns a duration in milliseconds, or "-" if it is unknown.
std::string lastedText(const std::optional<std::int64_t>& ns) {
  return ns ? fixedText(static_cast<double>(*ns) / 1e6, 3) + " ms" : "-";
}

std::string partnersText(const v1::Call& call) {
  std::string text;
  if (call.reduce_op()) text += ", " + nameOf(call.reduce_op());
  if (call.root_global_plus_1() > 0) {
    text += ", root " + std::to_string(call.root_global_plus_1() - 1);
  }
  if (isPointToPoint(static_cast<Operation>(call.op()))) {
    text += call.op() == v1::OPERATION_SEND ? ", to " : ", from ";
    const std::uint32_t peer = call.peer_global_plus_1();
    text += peer ? std::to_string(peer - 1) : "any";
  }
  if (call.has_async()) text += call.async() ? ", async" : ", sync";
  if (call.simulated()) text += ", simulated";
  if (call.graph_plus_1() > 0) text += ", captured";
  return text;
}

std::string tensorsText(const v1::Call& call) {
  const std::uint64_t bytes = largerSide(call);
  if (call.tensors_in() + call.tensors_out() == 0 && bytes == 0) return "";
  return ", " + dtypeText(call) + " " + shapeText(call) + " " +
         preciseSizeText(bytes);
}

const char* kindOf(const OperationLine& line) {
  if (line.failed) return "[ERROR]";
  if (!line.kind.empty()) return line.kind.c_str();
  switch (line.call ? line.call->op() : v1::OPERATION_UNSPECIFIED) {
    case v1::OPERATION_BARRIER:
    case v1::OPERATION_MONITORED_BARRIER:
      return "[BARRIER]";
    case v1::OPERATION_COALESCED:
      return "[COALESCE]";
    default:
      return "[TRACE]";
  }
}

std::string timesText(const OperationLine& line) {
  const bool at_wait = line.end_source == v1::END_SOURCE_WAIT;
  const bool by_hook = line.end_source == v1::END_SOURCE_COMPLETION_HOOK;
  std::string text = ": host " + lastedText(line.host_ns) + ", end after ";
  if (line.end_ns && (at_wait || by_hook)) text += "at most ";
  text += lastedText(line.end_ns);
  if (line.end_ns && at_wait) text += " (seen at wait)";
  if (line.end_ns && by_hook) text += " (by hook)";
  if (line.ran_ns) text += ", ran " + lastedText(line.ran_ns);
  return text + ", waited " + lastedText(line.waited_ns);
}

}  // namespace

std::string OperationLine::text() const {
  std::string line = lineBegin(kindOf(*this), rank, issued_ns);
  if (step) line += " step " + std::to_string(*step);
  line += " " + operation;
  if (seq > 0) line += " #" + std::to_string(seq);
  line += " on " + group + " (" + countOf(group_size, "rank");
  if (!members.empty()) line += " " + members;
  line += ")";
  if (call) {
    line += parts.empty() ? tensorsText(*call) : parts;
    line += partnersText(*call);
  }
  if (batch > 0) line += ", in batch " + std::to_string(batch);
  if (count > 0) line += ", call " + groupedText(count) + " of this shape";
  line += timesText(*this);
  if (const std::string values = inputs.text(); !values.empty()) {
    line += "; input " + values;
  }
  if (const std::string values = outputs.text(); !values.empty()) {
    line += "; output " + values;
  }
  if (failed) line += error.empty() ? "; failed" : "; failed: " + error;
  return line;
}

std::string lineBegin(const std::string& kind, std::uint32_t rank,
                      std::int64_t since_start_ns) {
  return kind + " rank " + std::to_string(rank) + " +" +
         fixedText(static_cast<double>(since_start_ns) / 1e9, 6) + " s";
}

std::string preciseSizeText(std::uint64_t bytes) {
  constexpr std::uint64_t kMiB = 1 << 20;
  if (bytes < kMiB) return bytesText(bytes);
  return fixedText(static_cast<double>(bytes) / double{kMiB}, 2) + " MiB";
}

std::uint64_t largerSide(const v1::Call& call) {
  return std::max(call.bytes_in(), call.bytes_out());
}

}  // namespace traced
