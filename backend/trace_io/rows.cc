#include "trace_io/rows.h"

namespace traced {
namespace {

// Every column is empty or has `rows` entries.
template <typename... Columns>
bool allFit(int rows, const Columns&... columns) {
  return ((columns.empty() || columns.size() == rows) && ...);
}

}  // namespace

bool columnsAgree(const v1::Payload& payload) {
  const v1::IssueRows& issue = payload.issued();
  const v1::ReturnRows& ret = payload.returned();
  const v1::DoneRows& done = payload.done();
  const v1::WaitRows& wait = payload.waited();
  const v1::ReleaseRows& release = payload.released();
  const v1::MarkRows& mark = payload.marked();
  return allFit(issue.op_delta_size(), issue.issue_ns_delta(), issue.call(),
                issue.buffers(), issue.seq_step(), issue.thread(),
                issue.batch()) &&
         allFit(ret.op_delta_size(), ret.return_ns_since(), ret.outcome(),
                ret.error()) &&
         allFit(done.op_delta_size(), done.end_ns_since(), done.source(),
                done.outcome(), done.error(), done.engine_ns_plus_1()) &&
         allFit(wait.op_delta_size(), wait.wait_begin_ns_since(),
                wait.wait_ns(), wait.outcome(), wait.error(), wait.saw_end(),
                wait.stall_ns_plus_1(), wait.source_rank_plus_1()) &&
         allFit(release.op_delta_size(), release.release_ns_since()) &&
         allFit(mark.position_delta_size(), mark.mark_ns_delta(), mark.kind(),
                mark.value(), mark.text());
}

std::uint64_t rowCount(const v1::Payload& payload) {
  const auto rows = [](const auto& table) {
    return static_cast<std::uint64_t>(table.op_delta_size());
  };
  return rows(payload.issued()) + rows(payload.returned()) +
         rows(payload.done()) + rows(payload.waited()) +
         rows(payload.released()) +
         static_cast<std::uint64_t>(payload.marked().position_delta_size());
}

}  // namespace traced
