#include "recorder/print/ended_lines.h"

#include "base/examined.h"
#include "base/group_label.h"
#include "base/one_in.h"
#include "base/operation.h"
#include "base/transfers.h"
#include "recorder/print/issued_call.h"
#include "recorder/print/printed_calls.h"
#include "trace_io/call_text.h"
#include "trace_io/wrapping.h"

namespace traced {
namespace {

constexpr std::size_t kMaxKnownCalls = 4096;
// Calls of further shapes are not counted.
constexpr std::size_t kMaxShapes = std::size_t{1} << 16;

}  // namespace

EndedLines::EndedLines(PrintMode mode, const ValueOptions& values,
                       const ChunkBuilder& known, const v1::Header& header)
    : mode_(mode), values_(values), known_(known), header_(header) {}

void EndedLines::add(const Ring::Record& record) {
  switch (record.kind) {
    case RecordKind::kDefineGroup:
      return calls_.clear();  // a redefinition may change the group's name
    case RecordKind::kMark:
      if (const auto mark = record.as<MarkRecord>();
          mark.kind == MarkKind::kStep) {
        step_plus_1_ = mark.value + 1;
      }
      return;
    case RecordKind::kIssue:
      return issued(record);
    case RecordKind::kReturn:
      return returned(record.as<ReturnRecord>());
    case RecordKind::kReturnAndWait: {
      const auto both = record.as<ReturnAndWaitRecord>();
      returned(both.returned());
      return waited(both.waited());
    }
    case RecordKind::kWait:
      return waited(record.as<WaitRecord>());
    case RecordKind::kDone:
      return done(record.as<DoneRecord>());
    case RecordKind::kRelease:
      return released(record.as<ReleaseRecord>().op);
    case RecordKind::kStatistics:
      return summarized(record.as<StatisticsRow>());
    default:
      return;
  }
}

void EndedLines::issued(const Ring::Record& record) {
  const auto issue = record.as<IssueRecord>();
  const KnownCall& known = knownCall(issue.call);
  if (!known.call) return;
  const std::uint64_t count = known.count ? ++*known.count : 0;
  if (!known.is_printed) return;
  if (open_.size() >= kMaxOpen) {
    early_.push_back(open_.begin()->second.line.text());
    open_.erase(open_.begin());
  }
  Open& open = open_[record.position];
  open.call = known.call;
  open.issue_ns = issue.issue_ns;
  const bool is_examined =
      values_.statistics && isOneIn(values_.every, issue.seq);
  open.missing_outputs = is_examined ? known.outputs : 0;
  OperationLine& line = open.line;
  line.rank = header_.rank();
  line.issued_ns =
      wrappingDifference(issue.issue_ns, header_.started().monotonic_ns());
  if (step_plus_1_ > 0) line.step = step_plus_1_ - 1;
  line.operation = operationName(static_cast<Operation>(known.call->op()));
  line.seq = issue.seq;
  line.group = known.group;
  line.group_size = known.group_size;
  line.members = known.members;
  line.call = known.call.get();
  if (known.call->op() == v1::OPERATION_COALESCED) {
    line.parts = ", batch " + std::to_string(issue.batch);
  } else {
    line.batch = issue.batch;
  }
  line.count = count;
}

void EndedLines::returned(const ReturnRecord& record) {
  Open* const open = find(record.op);
  if (!open) return;
  open->line.host_ns = wrappingDifference(record.return_ns, open->issue_ns);
  if (record.outcome == Outcome::kThrew) setFailed(*open, record.error);
  // A synchronous call may return no Work, a member of a batch ends with it,
  // and a call without a device only manages the group.
  const v1::Call& call = *open->call;
  const bool may_have_no_end = (call.has_async() && !call.async()) ||
                               open->line.batch > 0 ||
                               call.device() == v1::DEVICE_TYPE_UNSPECIFIED;
  if (may_have_no_end) due_.emplace_back(record.return_ns, record.op);
}

void EndedLines::waited(const WaitRecord& wait) {
  Open* const open = find(wait.op);
  if (!open) return;
  const auto wait_ns = static_cast<std::int64_t>(wait.wait_ns);
  const std::int64_t until_ns = wrappingSum(wait.begin_ns, wait_ns);
  open->line.waited_ns = wait_ns;
  open->was_waited_for = true;
  if (wait.outcome == Outcome::kThrew) setFailed(*open, wait.error);
  if (wait.saw_end && !open->has_end) {
    setEnd(wait.op, *open, until_ns, v1::END_SOURCE_WAIT);
  } else {
    due_.emplace_back(until_ns, wait.op);
  }
}

void EndedLines::done(const DoneRecord& done) {
  Open* const open = find(done.op);
  if (!open) return;
  if (done.outcome != Outcome::kOk) setFailed(*open, done.error);
  if (done.engine_ns_plus_1 > 0) {
    open->line.ran_ns = static_cast<std::int64_t>(done.engine_ns_plus_1 - 1);
  }
  setEnd(done.op, *open, done.end_ns, static_cast<v1::EndSource>(done.source));
}

void EndedLines::released(OpId op) {
  if (Open* const open = find(op)) open->is_released = true;
}

void EndedLines::setEnd(OpId op, Open& open, std::int64_t end_ns,
                        v1::EndSource source) {
  open.has_end = true;
  open.line.end_ns = wrappingDifference(end_ns, open.issue_ns);
  open.line.end_source = source;
  due_.emplace_back(end_ns, op);
}

void EndedLines::setFailed(Open& open, std::uint32_t error) {
  open.line.failed = open.is_released = true;
  const v1::Text* const text = error ? known_.text(error) : nullptr;
  if (text) open.line.error = text->text();
}

void EndedLines::summarized(const StatisticsRow& row) {
  Open* const open = find(row.op);
  if (!open) return;
  if (!isAt(row, ExaminedAt::kEnd)) return open->line.inputs.add(row);
  open->line.outputs.add(row);
  // One row may say that none was examined.
  const bool is_last = row.skipped != 0 || open->missing_outputs == 0;
  open->missing_outputs = is_last ? 0 : open->missing_outputs - 1;
}

EndedLines::Open* EndedLines::find(OpId op) {
  const auto found = open_.find(op);
  if (found == open_.end()) return nullptr;
  changed_.push_back(op);
  return &found->second;
}

std::vector<std::string> EndedLines::take(std::int64_t now_ns) {
  std::vector<std::string> lines = std::move(early_);
  early_.clear();
  const auto takeIf = [&](OpId op, bool is_due) {
    const auto found = open_.find(op);
    if (found == open_.end() || (!is_due && !found->second.isOver())) return;
    lines.push_back(found->second.line.text());
    open_.erase(found);
  };
  for (const OpId op : changed_) takeIf(op, /*is_due=*/false);
  changed_.clear();
  while (!due_.empty() &&
         (now_ns == kAtExit ||
          wrappingDifference(now_ns, due_.front().first) > kMaxDelayNs)) {
    takeIf(due_.front().second, /*is_due=*/true);
    due_.pop_front();
  }
  return lines;
}

const EndedLines::KnownCall& EndedLines::knownCall(std::uint32_t id) {
  const auto found = calls_.find(id);
  if (found != calls_.end()) return found->second;
  if (calls_.size() >= kMaxKnownCalls) calls_.clear();
  const v1::Call* call = known_.call(id);
  const v1::Group* group = call ? known_.group(call->group()) : nullptr;
  KnownCall known;
  if (group && !call->simulated()) known = describe(*call, *group);
  return calls_[id] = std::move(known);
}

EndedLines::KnownCall EndedLines::describe(const v1::Call& call,
                                           const v1::Group& group) {
  KnownCall known;
  known.call = std::make_shared<const v1::Call>(call);
  known.is_printed = isPrinted(mode_, header_.rank(), call, group);
  known.group = groupLabel(group.name(), group.desc());
  known.group_size = group.size();
  known.members = membersText(group);
  const auto op = static_cast<Operation>(call.op());
  if (!fillsAtRootOnly(op) || call.root_plus_1() == group.group_rank() + 1) {
    known.outputs = call.in_place() ? call.tensors_in() : call.tensors_out();
  }
  const std::pair key(std::string(operationName(op)), shapeText(call));
  if (counts_.size() < kMaxShapes || counts_.contains(key)) {
    known.count = &counts_[key];
  }
  return known;
}

}  // namespace traced
