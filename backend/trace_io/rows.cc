#include "trace_io/rows.h"

namespace traced {

namespace detail {

RowColumns<RepeatedColumn> columnsOf(const v1::Payload& payload) {
  const auto column = [](const auto& field) { return RepeatedColumn(field); };
  const v1::IssueRows& issue = payload.issued();
  const v1::ReturnRows& ret = payload.returned();
  const v1::DoneRows& done = payload.done();
  const v1::WaitRows& wait = payload.waited();
  const v1::ReleaseRows& release = payload.released();
  const v1::MethodRows& method = payload.method();
  const v1::MarkRows& mark = payload.marked();
  return {
      {column(issue.op_delta()), column(issue.issue_ns_delta()),
       column(issue.call()), column(issue.buffers()), column(issue.seq_step()),
       column(issue.thread()), column(issue.batch()), column(issue.context()),
       column(issue.stack())},
      {column(ret.op_delta()), column(ret.return_ns_since()),
       column(ret.outcome()), column(ret.error())},
      {column(done.op_delta()), column(done.end_ns_since()),
       column(done.source()), column(done.outcome()), column(done.error()),
       column(done.engine_ns_plus_1())},
      {column(wait.op_delta()), column(wait.wait_begin_ns_since()),
       column(wait.wait_ns()), column(wait.outcome()), column(wait.error()),
       column(wait.saw_end()), column(wait.stall_ns_plus_1()),
       column(wait.source_rank_plus_1())},
      {column(release.op_delta()), column(release.release_ns_since())},
      {column(method.op_delta()), column(method.algorithm()),
       column(method.protocol()), column(method.channels())},
      {column(mark.position_delta()), column(mark.mark_ns_delta()),
       column(mark.kind()), column(mark.value()), column(mark.text())}};
}

}  // namespace detail

bool columnsAgree(const v1::Payload& payload) {
  auto columns = detail::columnsOf(payload);
  return detail::columnsAgree(columns);
}

std::uint64_t rowCount(const v1::Payload& payload) {
  auto columns = detail::columnsOf(payload);
  return detail::countRows(columns);
}

}  // namespace traced
