// Defines the rows of a payload: a struct and a list of columns for each kind
// of event. See trace.proto and docs/reference/format.md, "Rows".
//
// A new kind of row also needs an entry in TRACED_LATER_ROWS or
// TRACED_OTHER_ROWS.

#pragma once

#include <cstdint>

#include "trace_io/wrapping.h"

namespace traced {

// How a cell encodes a member of the row.
// The first column of a table has one cell per row. Columns of kPlain, kText
// and kAfterCall are empty while all their values are 0.
enum class CellKind : std::uint8_t {
  kPlain,
  // The id of a text, or 0.
  kText,
  // The difference from the previous row.
  kStep,
  // An instant, as the difference from the previous row. The first row counts
  // from the anchor.
  kAfterRow,
  // An instant, as the difference from the last instant of the same operation
  // in this or an earlier table. Counts from the anchor if the payload does not
  // issue the operation.
  kAfterOperation,
  // The difference from the previous row whose call has the same remainder
  // modulo 256, or from 0.
  kAfterCall,
};

// Each X(name, Name, cell, member) defines a column of a table.

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

  // Returns the last instant of the row, which the next row of the operation
  // counts from.
  std::int64_t lastNs() const { return issue_ns; }
};
#define TRACED_ISSUE_COLUMNS(X)                        \
  X(op_delta, OpDelta, kStep, op)                      \
  X(issue_ns_delta, IssueNsDelta, kAfterRow, issue_ns) \
  X(call, Call, kPlain, call)                          \
  X(buffers, Buffers, kPlain, buffers)                 \
  X(seq_step, SeqStep, kAfterCall, seq)                \
  X(thread, Thread, kPlain, thread)                    \
  X(batch, Batch, kPlain, batch)                       \
  X(context, Context, kPlain, context)                 \
  X(stack, Stack, kPlain, stack)

struct ReturnRow {
  std::uint64_t op = 0;
  std::int64_t return_ns = 0;
  std::uint32_t outcome = 0;
  std::uint32_t error = 0;

  std::int64_t lastNs() const { return return_ns; }
};
#define TRACED_RETURN_COLUMNS(X)                                \
  X(op_delta, OpDelta, kStep, op)                               \
  X(return_ns_since, ReturnNsSince, kAfterOperation, return_ns) \
  X(outcome, Outcome, kPlain, outcome)                          \
  X(error, Error, kText, error)

struct DoneRow {
  std::uint64_t op = 0;
  std::int64_t end_ns = 0;
  std::uint32_t source = 0;
  std::uint32_t outcome = 0;
  std::uint32_t error = 0;
  std::uint64_t engine_ns_plus_1 = 0;

  std::int64_t lastNs() const { return end_ns; }
};
#define TRACED_DONE_COLUMNS(X)                         \
  X(op_delta, OpDelta, kStep, op)                      \
  X(end_ns_since, EndNsSince, kAfterOperation, end_ns) \
  X(source, Source, kPlain, source)                    \
  X(outcome, Outcome, kPlain, outcome)                 \
  X(error, Error, kText, error)                        \
  X(engine_ns_plus_1, EngineNsPlus1, kPlain, engine_ns_plus_1)

struct WaitRow {
  std::uint64_t op = 0;
  std::int64_t wait_begin_ns = 0;
  std::uint64_t wait_ns = 0;
  std::uint32_t outcome = 0;
  std::uint32_t error = 0;
  std::uint32_t saw_end = 0;
  std::uint64_t stall_ns_plus_1 = 0;
  std::uint32_t source_rank_plus_1 = 0;
  std::uint32_t by_future = 0;

  std::int64_t endNs() const {
    return wrappingSum(wait_begin_ns, static_cast<std::int64_t>(wait_ns));
  }
  std::int64_t lastNs() const { return endNs(); }
};
#define TRACED_WAIT_COLUMNS(X)                                             \
  X(op_delta, OpDelta, kStep, op)                                          \
  X(wait_begin_ns_since, WaitBeginNsSince, kAfterOperation, wait_begin_ns) \
  X(wait_ns, WaitNs, kPlain, wait_ns)                                      \
  X(outcome, Outcome, kPlain, outcome)                                     \
  X(error, Error, kText, error)                                            \
  X(saw_end, SawEnd, kPlain, saw_end)                                      \
  X(stall_ns_plus_1, StallNsPlus1, kPlain, stall_ns_plus_1)                \
  X(source_rank_plus_1, SourceRankPlus1, kPlain, source_rank_plus_1)       \
  X(by_future, ByFuture, kPlain, by_future)

struct ReleaseRow {
  std::uint64_t op = 0;
  std::int64_t release_ns = 0;

  std::int64_t lastNs() const { return release_ns; }
};
#define TRACED_RELEASE_COLUMNS(X) \
  X(op_delta, OpDelta, kStep, op) \
  X(release_ns_since, ReleaseNsSince, kAfterOperation, release_ns)

struct MethodRow {
  std::uint64_t op = 0;
  std::uint32_t algorithm = 0;
  std::uint32_t protocol = 0;
  std::uint32_t channels = 0;
};
#define TRACED_METHOD_COLUMNS(X)            \
  X(op_delta, OpDelta, kStep, op)           \
  X(algorithm, Algorithm, kText, algorithm) \
  X(protocol, Protocol, kText, protocol)    \
  X(channels, Channels, kPlain, channels)

struct MarkRow {
  std::uint64_t position = 0;
  std::int64_t mark_ns = 0;
  std::uint32_t kind = 0;
  std::uint64_t value = 0;
  std::uint32_t text = 0;
};
#define TRACED_MARK_COLUMNS(X)                      \
  X(position_delta, PositionDelta, kStep, position) \
  X(mark_ns_delta, MarkNsDelta, kAfterRow, mark_ns) \
  X(kind, Kind, kPlain, kind)                       \
  X(value, Value, kPlain, value)                    \
  X(text, Text, kText, text)

// Resources that the process used in the `interval_ns` before `sample_ns`.
struct ResourceRow {
  std::uint64_t position = 0;
  std::int64_t sample_ns = 0;
  std::uint64_t interval_ns = 0;
  std::uint64_t cpu_ns = 0;
  std::uint64_t main_cpu_ns_plus_1 = 0;
  std::uint64_t run_delay_ns_plus_1 = 0;
  std::uint64_t voluntary_switches = 0;
  std::uint64_t involuntary_switches = 0;
  std::uint64_t major_faults = 0;
  std::uint64_t read_bytes_plus_1 = 0;
  std::uint64_t written_bytes_plus_1 = 0;
  std::uint64_t issuer_delay_ns_plus_1 = 0;
  std::uint64_t other_delay_ns_plus_1 = 0;
  std::uint64_t blocked_ns_plus_1 = 0;
  std::uint64_t paging_ns_plus_1 = 0;
  std::uint64_t throttled_ns_plus_1 = 0;
  std::uint64_t cpu_pressure_ns_plus_1 = 0;
  std::uint64_t io_pressure_ns_plus_1 = 0;
  std::uint64_t memory_pressure_ns_plus_1 = 0;
  std::uint64_t collections = 0;
  std::uint64_t collecting_ns_plus_1 = 0;
  std::uint64_t batches = 0;
  std::uint64_t loading_ns_plus_1 = 0;
  std::uint32_t sm_clock_mhz_plus_1 = 0;
  std::uint32_t max_sm_clock_mhz_plus_1 = 0;
  std::uint32_t memory_clock_mhz_plus_1 = 0;
  std::uint64_t throttle_reasons_plus_1 = 0;
  std::uint32_t temperature_plus_1 = 0;
  std::uint64_t ecc_errors_plus_1 = 0;
  std::uint64_t xid = 0;
};
#define TRACED_RESOURCE_COLUMNS(X)                                           \
  X(position_delta, PositionDelta, kStep, position)                          \
  X(sample_ns_delta, SampleNsDelta, kAfterRow, sample_ns)                    \
  X(interval_ns, IntervalNs, kPlain, interval_ns)                            \
  X(cpu_ns, CpuNs, kPlain, cpu_ns)                                           \
  X(main_cpu_ns_plus_1, MainCpuNsPlus1, kPlain, main_cpu_ns_plus_1)          \
  X(run_delay_ns_plus_1, RunDelayNsPlus1, kPlain, run_delay_ns_plus_1)       \
  X(voluntary_switches, VoluntarySwitches, kPlain, voluntary_switches)       \
  X(involuntary_switches, InvoluntarySwitches, kPlain, involuntary_switches) \
  X(major_faults, MajorFaults, kPlain, major_faults)                         \
  X(read_bytes_plus_1, ReadBytesPlus1, kPlain, read_bytes_plus_1)            \
  X(written_bytes_plus_1, WrittenBytesPlus1, kPlain, written_bytes_plus_1)   \
  X(issuer_delay_ns_plus_1, IssuerDelayNsPlus1, kPlain,                      \
    issuer_delay_ns_plus_1)                                                  \
  X(other_delay_ns_plus_1, OtherDelayNsPlus1, kPlain, other_delay_ns_plus_1) \
  X(blocked_ns_plus_1, BlockedNsPlus1, kPlain, blocked_ns_plus_1)            \
  X(paging_ns_plus_1, PagingNsPlus1, kPlain, paging_ns_plus_1)               \
  X(throttled_ns_plus_1, ThrottledNsPlus1, kPlain, throttled_ns_plus_1)      \
  X(cpu_pressure_ns_plus_1, CpuPressureNsPlus1, kPlain,                      \
    cpu_pressure_ns_plus_1)                                                  \
  X(io_pressure_ns_plus_1, IoPressureNsPlus1, kPlain, io_pressure_ns_plus_1) \
  X(memory_pressure_ns_plus_1, MemoryPressureNsPlus1, kPlain,                \
    memory_pressure_ns_plus_1)                                               \
  X(collections, Collections, kPlain, collections)                           \
  X(collecting_ns_plus_1, CollectingNsPlus1, kPlain, collecting_ns_plus_1)   \
  X(batches, Batches, kPlain, batches)                                       \
  X(loading_ns_plus_1, LoadingNsPlus1, kPlain, loading_ns_plus_1)            \
  X(sm_clock_mhz_plus_1, SmClockMhzPlus1, kPlain, sm_clock_mhz_plus_1)       \
  X(max_sm_clock_mhz_plus_1, MaxSmClockMhzPlus1, kPlain,                     \
    max_sm_clock_mhz_plus_1)                                                 \
  X(memory_clock_mhz_plus_1, MemoryClockMhzPlus1, kPlain,                    \
    memory_clock_mhz_plus_1)                                                 \
  X(throttle_reasons_plus_1, ThrottleReasonsPlus1, kPlain,                   \
    throttle_reasons_plus_1)                                                 \
  X(temperature_plus_1, TemperaturePlus1, kPlain, temperature_plus_1)        \
  X(ecc_errors_plus_1, EccErrorsPlus1, kPlain, ecc_errors_plus_1)            \
  X(xid, Xid, kPlain, xid)

// An event in a function that creates groups or is an object collective.
struct FunctionRow {
  std::uint64_t position = 0;
  std::int64_t at_ns = 0;
  std::uint64_t call = 0;
  std::uint32_t event = 0;
  std::uint32_t function = 0;
  std::uint32_t stack = 0;
  std::uint32_t group = 0;
};
#define TRACED_FUNCTION_COLUMNS(X)                  \
  X(position_delta, PositionDelta, kStep, position) \
  X(at_ns_delta, AtNsDelta, kAfterRow, at_ns)       \
  X(call, Call, kPlain, call)                       \
  X(event, Event, kPlain, event)                    \
  X(function, Function, kText, function)            \
  X(stack, Stack, kPlain, stack)                    \
  X(group, Group, kPlain, group)

// What a thread did at one moment.
struct ThreadSampleRow {
  std::uint64_t position = 0;
  std::int64_t sample_ns = 0;
  std::uint32_t tid = 0;
  std::uint32_t cause = 0;
  std::uint32_t stack = 0;
  std::uint32_t reading = 0;
  std::uint32_t state = 0;
  std::uint32_t waits_in = 0;
  std::uint64_t cpu_ns_plus_1 = 0;
  std::uint64_t runs_plus_1 = 0;
  std::uint32_t interpreter = 0;
};
#define TRACED_THREAD_SAMPLE_COLUMNS(X)                   \
  X(position_delta, PositionDelta, kStep, position)       \
  X(sample_ns_delta, SampleNsDelta, kAfterRow, sample_ns) \
  X(tid, Tid, kPlain, tid)                                \
  X(cause, Cause, kPlain, cause)                          \
  X(stack, Stack, kPlain, stack)                          \
  X(reading, Reading, kPlain, reading)                    \
  X(state, State, kPlain, state)                          \
  X(waits_in, WaitsIn, kText, waits_in)                   \
  X(cpu_ns_plus_1, CpuNsPlus1, kPlain, cpu_ns_plus_1)     \
  X(runs_plus_1, RunsPlus1, kPlain, runs_plus_1)          \
  X(interpreter, Interpreter, kPlain, interpreter)

// The hash of a tensor of an operation, or of a part of it.
struct HashRow {
  std::uint64_t op = 0;
  std::uint32_t at = 0;
  std::uint32_t tensor = 0;
  std::uint32_t rank_plus_1 = 0;
  std::uint32_t skipped = 0;
  std::uint64_t bytes = 0;
  std::uint64_t hash = 0;
  std::uint64_t sum_bits = 0;
  std::uint64_t norm_bits = 0;
  std::uint32_t summed = 0;
};
#define TRACED_HASH_COLUMNS(X)                   \
  X(op_delta, OpDelta, kStep, op)                \
  X(at, At, kPlain, at)                          \
  X(tensor, Tensor, kPlain, tensor)              \
  X(rank_plus_1, RankPlus1, kPlain, rank_plus_1) \
  X(bytes, Bytes, kPlain, bytes)                 \
  X(hash, Hash, kPlain, hash)                    \
  X(skipped, Skipped, kPlain, skipped)           \
  X(summed, Summed, kPlain, summed)              \
  X(sum_bits, SumBits, kPlain, sum_bits)         \
  X(norm_bits, NormBits, kPlain, norm_bits)

// Statistics of a tensor of an operation.
struct StatisticsRow {
  std::uint64_t op = 0;
  std::uint32_t at = 0;
  std::uint32_t tensor = 0;
  std::uint64_t elements = 0;
  std::uint64_t nan = 0;
  std::uint64_t infinite = 0;
  std::uint64_t zero = 0;
  std::uint64_t subnormal = 0;
  std::uint64_t saturated = 0;
  std::uint64_t minimum_bits = 0;
  std::uint64_t maximum_bits = 0;
  std::uint64_t mean_bits = 0;
  std::uint64_t norm_bits = 0;
  std::uint32_t skipped = 0;
};
#define TRACED_STATISTICS_COLUMNS(X)                 \
  X(op_delta, OpDelta, kStep, op)                    \
  X(at, At, kPlain, at)                              \
  X(tensor, Tensor, kPlain, tensor)                  \
  X(elements, Elements, kPlain, elements)            \
  X(nan, Nan, kPlain, nan)                           \
  X(infinite, Infinite, kPlain, infinite)            \
  X(zero, Zero, kPlain, zero)                        \
  X(subnormal, Subnormal, kPlain, subnormal)         \
  X(saturated, Saturated, kPlain, saturated)         \
  X(minimum_bits, MinimumBits, kPlain, minimum_bits) \
  X(maximum_bits, MaximumBits, kPlain, maximum_bits) \
  X(mean_bits, MeanBits, kPlain, mean_bits)          \
  X(norm_bits, NormBits, kPlain, norm_bits)          \
  X(skipped, Skipped, kPlain, skipped)

// The hash of a tensor that several ranks hold copies of.
struct ReplicaRow {
  std::uint64_t position = 0;
  std::int64_t at_ns = 0;
  std::uint64_t check = 0;
  std::uint32_t tensor = 0;
  std::uint32_t name = 0;
  std::uint32_t ranks = 0;
  std::uint32_t is_buffer = 0;
  std::uint32_t declared = 0;
  std::uint32_t skipped = 0;
  std::uint64_t bytes = 0;
  std::uint64_t hash = 0;
};
#define TRACED_REPLICA_COLUMNS(X)                   \
  X(position_delta, PositionDelta, kStep, position) \
  X(at_ns_delta, AtNsDelta, kAfterRow, at_ns)       \
  X(check, Check, kPlain, check)                    \
  X(tensor, Tensor, kPlain, tensor)                 \
  X(name, Name, kText, name)                        \
  X(ranks, Ranks, kText, ranks)                     \
  X(is_buffer, IsBuffer, kPlain, is_buffer)         \
  X(declared, Declared, kPlain, declared)           \
  X(bytes, Bytes, kPlain, bytes)                    \
  X(hash, Hash, kPlain, hash)                       \
  X(skipped, Skipped, kPlain, skipped)

// Each X(Row, Message, field, Field, COLUMNS) defines a table: its message and
// its field in the payload.
#define TRACED_ISSUE_ROWS(X) \
  X(IssueRow, IssueRows, issued, Issued, TRACED_ISSUE_COLUMNS)
// Rows about an operation after its issue, in order of time.
#define TRACED_LATER_ROWS(X)                                          \
  X(ReturnRow, ReturnRows, returned, Returned, TRACED_RETURN_COLUMNS) \
  X(DoneRow, DoneRows, done, Done, TRACED_DONE_COLUMNS)               \
  X(WaitRow, WaitRows, waited, Waited, TRACED_WAIT_COLUMNS)           \
  X(ReleaseRow, ReleaseRows, released, Released, TRACED_RELEASE_COLUMNS)
#define TRACED_OTHER_ROWS(X)                                                  \
  X(MethodRow, MethodRows, method, Method, TRACED_METHOD_COLUMNS)             \
  X(MarkRow, MarkRows, marked, Marked, TRACED_MARK_COLUMNS)                   \
  X(ResourceRow, ResourceRows, resources, Resources, TRACED_RESOURCE_COLUMNS) \
  X(FunctionRow, FunctionRows, functions, Functions, TRACED_FUNCTION_COLUMNS) \
  X(ThreadSampleRow, ThreadSampleRows, thread_samples, ThreadSamples,         \
    TRACED_THREAD_SAMPLE_COLUMNS)                                             \
  X(HashRow, HashRows, hashes, Hashes, TRACED_HASH_COLUMNS)                   \
  X(StatisticsRow, StatisticsRows, statistics, Statistics,                    \
    TRACED_STATISTICS_COLUMNS)                                                \
  X(ReplicaRow, ReplicaRows, replicas, Replicas, TRACED_REPLICA_COLUMNS)

}  // namespace traced
