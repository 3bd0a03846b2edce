// The columns of rows.proto by name, for any way in which a column is stored.
// A column has empty(), size() and next(), which is its first entry, then the
// second, and so on.

#pragma once

#include <cstdint>

#include "traced/v1/trace.pb.h"

namespace traced {

// The forEach of a table calls visit(field number, column); its first column
// tells how many rows there are.

template <template <typename> class Column>
struct IssueColumns {
  Column<std::int64_t> op_delta, issue_ns_delta;
  Column<std::uint32_t> call, buffers;
  Column<std::int64_t> seq_step;
  Column<std::uint32_t> thread;
  Column<std::uint64_t> batch;
  Column<std::uint32_t> context;
  Column<std::uint32_t> stack;

  template <typename Visit>
  void forEach(Visit&& visit) {
    using Rows = v1::IssueRows;
    visit(Rows::kOpDeltaFieldNumber, op_delta);
    visit(Rows::kIssueNsDeltaFieldNumber, issue_ns_delta);
    visit(Rows::kCallFieldNumber, call);
    visit(Rows::kBuffersFieldNumber, buffers);
    visit(Rows::kSeqStepFieldNumber, seq_step);
    visit(Rows::kThreadFieldNumber, thread);
    visit(Rows::kBatchFieldNumber, batch);
    visit(Rows::kContextFieldNumber, context);
    visit(Rows::kStackFieldNumber, stack);
  }
};

template <template <typename> class Column>
struct ReturnColumns {
  Column<std::int64_t> op_delta, return_ns_since;
  Column<std::uint32_t> outcome, error;

  template <typename Visit>
  void forEach(Visit&& visit) {
    using Rows = v1::ReturnRows;
    visit(Rows::kOpDeltaFieldNumber, op_delta);
    visit(Rows::kReturnNsSinceFieldNumber, return_ns_since);
    visit(Rows::kOutcomeFieldNumber, outcome);
    visit(Rows::kErrorFieldNumber, error);
  }
};

template <template <typename> class Column>
struct DoneColumns {
  Column<std::int64_t> op_delta, end_ns_since;
  Column<std::uint32_t> source, outcome, error;
  Column<std::uint64_t> engine_ns_plus_1;

  template <typename Visit>
  void forEach(Visit&& visit) {
    using Rows = v1::DoneRows;
    visit(Rows::kOpDeltaFieldNumber, op_delta);
    visit(Rows::kEndNsSinceFieldNumber, end_ns_since);
    visit(Rows::kSourceFieldNumber, source);
    visit(Rows::kOutcomeFieldNumber, outcome);
    visit(Rows::kErrorFieldNumber, error);
    visit(Rows::kEngineNsPlus1FieldNumber, engine_ns_plus_1);
  }
};

template <template <typename> class Column>
struct WaitColumns {
  Column<std::int64_t> op_delta, wait_begin_ns_since;
  Column<std::uint64_t> wait_ns;
  Column<std::uint32_t> outcome, error, saw_end;
  Column<std::uint64_t> stall_ns_plus_1;
  Column<std::uint32_t> source_rank_plus_1;

  template <typename Visit>
  void forEach(Visit&& visit) {
    using Rows = v1::WaitRows;
    visit(Rows::kOpDeltaFieldNumber, op_delta);
    visit(Rows::kWaitBeginNsSinceFieldNumber, wait_begin_ns_since);
    visit(Rows::kWaitNsFieldNumber, wait_ns);
    visit(Rows::kOutcomeFieldNumber, outcome);
    visit(Rows::kErrorFieldNumber, error);
    visit(Rows::kSawEndFieldNumber, saw_end);
    visit(Rows::kStallNsPlus1FieldNumber, stall_ns_plus_1);
    visit(Rows::kSourceRankPlus1FieldNumber, source_rank_plus_1);
  }
};

template <template <typename> class Column>
struct ReleaseColumns {
  Column<std::int64_t> op_delta, release_ns_since;

  template <typename Visit>
  void forEach(Visit&& visit) {
    using Rows = v1::ReleaseRows;
    visit(Rows::kOpDeltaFieldNumber, op_delta);
    visit(Rows::kReleaseNsSinceFieldNumber, release_ns_since);
  }
};

template <template <typename> class Column>
struct MethodColumns {
  Column<std::int64_t> op_delta;
  Column<std::uint32_t> algorithm, protocol, channels;

  template <typename Visit>
  void forEach(Visit&& visit) {
    using Rows = v1::MethodRows;
    visit(Rows::kOpDeltaFieldNumber, op_delta);
    visit(Rows::kAlgorithmFieldNumber, algorithm);
    visit(Rows::kProtocolFieldNumber, protocol);
    visit(Rows::kChannelsFieldNumber, channels);
  }
};

template <template <typename> class Column>
struct MarkColumns {
  Column<std::int64_t> position_delta, mark_ns_delta;
  Column<std::uint32_t> kind;
  Column<std::uint64_t> value;
  Column<std::uint32_t> text;

  template <typename Visit>
  void forEach(Visit&& visit) {
    using Rows = v1::MarkRows;
    visit(Rows::kPositionDeltaFieldNumber, position_delta);
    visit(Rows::kMarkNsDeltaFieldNumber, mark_ns_delta);
    visit(Rows::kKindFieldNumber, kind);
    visit(Rows::kValueFieldNumber, value);
    visit(Rows::kTextFieldNumber, text);
  }
};

template <template <typename> class Column>
struct RowColumns {
  IssueColumns<Column> issued;
  ReturnColumns<Column> returned;
  DoneColumns<Column> done;
  WaitColumns<Column> waited;
  ReleaseColumns<Column> released;
  MethodColumns<Column> method;
  MarkColumns<Column> marked;

  // Calls visit(field number, table).
  template <typename Visit>
  void forEach(Visit&& visit) {
    visit(v1::Payload::kIssuedFieldNumber, issued);
    visit(v1::Payload::kReturnedFieldNumber, returned);
    visit(v1::Payload::kDoneFieldNumber, done);
    visit(v1::Payload::kWaitedFieldNumber, waited);
    visit(v1::Payload::kReleasedFieldNumber, released);
    visit(v1::Payload::kMethodFieldNumber, method);
    visit(v1::Payload::kMarkedFieldNumber, marked);
  }
};

}  // namespace traced
