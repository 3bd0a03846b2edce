// The rows of a payload: one struct per kind of event.
// See rows.proto and docs/format.md, "Rows".

#pragma once

#include <cstdint>

#include "trace_io/wrapping.h"

namespace traced {

struct IssueRow {
  std::uint64_t op = 0;
  std::int64_t issue_ns = 0;
  std::uint32_t call = 0;
  std::uint32_t buffers = 0;
  std::uint64_t seq = 0;
  std::uint32_t thread = 0;
  std::uint64_t batch = 0;
  std::uint32_t context = 0;
  std::uint32_t stack = 0;

  // The last instant that the row tells.
  std::int64_t lastNs() const { return issue_ns; }
};

struct ReturnRow {
  std::uint64_t op = 0;
  std::int64_t return_ns = 0;
  std::uint32_t outcome = 0;
  std::uint32_t error = 0;

  std::int64_t lastNs() const { return return_ns; }
};

struct DoneRow {
  std::uint64_t op = 0;
  std::int64_t end_ns = 0;
  std::uint32_t source = 0;
  std::uint32_t outcome = 0;
  std::uint32_t error = 0;
  std::uint64_t engine_ns_plus_1 = 0;

  std::int64_t lastNs() const { return end_ns; }
};

struct WaitRow {
  std::uint64_t op = 0;
  std::int64_t wait_begin_ns = 0;
  std::uint64_t wait_ns = 0;
  std::uint32_t outcome = 0;
  std::uint32_t error = 0;
  std::uint32_t saw_end = 0;
  std::uint64_t stall_ns_plus_1 = 0;
  std::uint32_t source_rank_plus_1 = 0;

  std::int64_t endNs() const {
    return wrappingSum(wait_begin_ns, static_cast<std::int64_t>(wait_ns));
  }
  std::int64_t lastNs() const { return endNs(); }
};

struct ReleaseRow {
  std::uint64_t op = 0;
  std::int64_t release_ns = 0;

  std::int64_t lastNs() const { return release_ns; }
};

struct MethodRow {
  std::uint64_t op = 0;
  std::uint32_t algorithm = 0;
  std::uint32_t protocol = 0;
  std::uint32_t channels = 0;
};

struct MarkRow {
  std::uint64_t position = 0;
  std::int64_t mark_ns = 0;
  std::uint32_t kind = 0;
  std::uint64_t value = 0;
  std::uint32_t text = 0;
};

}  // namespace traced
