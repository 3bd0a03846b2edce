// A made-up run of two ranks that marks its steps and has no losses, as input
// for budgets.

#pragma once

#include <string>

#include "support/stream_builder.h"
#include "support/write_file.h"

namespace traced::testing {

// The deviations of a run from the default.
struct SteppedRun {
  std::uint64_t steps = 3;
  // All-reduces of 1 KiB in a step, and their dtype.
  std::uint64_t all_reduces = 2;
  v1::DType dtype = v1::DTYPE_BFLOAT16;
  std::uint32_t world_size = 2;
  bool mark_steps = true;
  bool closed = true;
  // Records that rank 1 dropped.
  std::uint64_t dropped = 0;
  bool switched_off = false;
  bool simulated = false;
  // Adds one mark of each kind.
  bool marks = false;
};

// Writes the traces of the run into `directory`. Each step has all-reduces on
// the group "dp" and a send from rank 0 to rank 1. A broadcast precedes the
// first step.
inline void writeSteppedRun(const std::string& directory,
                            const SteppedRun& run = {}) {
  constexpr std::int64_t kMs = 1'000'000;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    StreamBuilder stream(rank, run.world_size);
    stream.addGroup("dp", 0, 2);
    stream.addCall(v1::OPERATION_ALL_REDUCE, 1, 1024, 1024, run.dtype)
        .set_in_place(true);
    v1::Call& p2p = rank == 0 ? stream.addCall(v1::OPERATION_SEND, 1, 512, 0)
                              : stream.addCall(v1::OPERATION_RECV, 1, 0, 512);
    p2p.set_peer_plus_1(2 - rank);
    p2p.set_peer_global_plus_1(2 - rank);
    v1::Call& broadcast =
        stream.addCall(v1::OPERATION_BROADCAST, 1, 4096, 4096);
    broadcast.set_root_plus_1(1);
    broadcast.set_root_global_plus_1(1);
    stream.addCall(v1::OPERATION_BROADCAST, 1, 4096, 4096).set_simulated(true);

    std::int64_t at = StreamBuilder::kStartNs + 10 * kMs;
    std::uint64_t position = 1;
    std::uint64_t seq = 1;
    const auto issue = [&](std::uint32_t call, std::uint64_t number) {
      stream.addOperation(position++, at, call, number, 2 * kMs);
      at += 5 * kMs;
    };
    issue(3, seq++);
    if (run.simulated && rank == 1) issue(4, seq++);
    for (std::uint64_t step = 0; step < run.steps; ++step) {
      if (run.mark_steps) stream.addStep(position++, at, step);
      for (std::uint64_t i = 0; i < run.all_reduces; ++i) issue(1, seq++);
      if (run.switched_off && rank == 1 && step == 1) {
        stream.add(MarkRow{position++, at, v1::MARK_KIND_DISABLED, 0});
        at += 100 * kMs;
        stream.add(MarkRow{position++, at, v1::MARK_KIND_ENABLED, 0});
      }
      issue(2, step + 1);
    }
    if (run.mark_steps) stream.addStep(position++, at, run.steps);
    if (run.marks && rank == 1) {
      const std::uint32_t text = stream.addText("Connection closed\nby peer");
      const std::uint64_t failed = position - 2;
      for (const MarkRow& row :
           {MarkRow{position, at, v1::MARK_KIND_FLUSH, 0, 0},
            MarkRow{position + 1, at + kMs, v1::MARK_KIND_FAILURE, failed,
                    text},
            MarkRow{position + 2, at + 2 * kMs, v1::MARK_KIND_ABORT, 1, 0},
            MarkRow{position + 3, at + 3 * kMs, v1::MARK_KIND_SHUTDOWN_FAILED,
                    1, text}}) {
        stream.add(row);
      }
      position += 4;
    }
    if (rank == 1 && run.dropped > 0) {
      stream.drop(v1::DROP_REASON_RING_FULL, run.dropped);
    }
    // Two samples of 200 ns on rank 0, three of 300 ns on rank 1.
    v1::Accounts& accounts = *stream.payload().mutable_accounts();
    for (int bucket = 0; bucket < 9; ++bucket) {
      const bool filled = bucket == (rank == 0 ? 7 : 8);
      accounts.add_own_time_log2_ns(filled ? 2 + rank : 0);
    }
    accounts.set_own_time_total_ns(rank == 0 ? 400 : 900);
    stream.add(
        IssueRow{.op = position, .issue_ns = at + kMs, .call = 3, .seq = seq});
    stream.add(DoneRow{.op = position,
                       .end_ns = at + 3 * kMs,
                       .source = v1::END_SOURCE_COMPLETION_HOOK});
    writeFile(directory + "/rank-" + std::to_string(rank) + ".traced",
              stream.takeChunk(run.closed));
  }
}

}  // namespace traced::testing
