// A made-up run of two ranks with content for every command.

#pragma once

#include <string>

#include "support/stream_builder.h"
#include "support/write_file.h"

namespace traced::testing {

// Writes the traces of the run into `directory`.
inline void writeExampleRun(const std::string& directory) {
  constexpr std::int64_t kMs = 1'000'000;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    StreamBuilder stream(rank);
    stream.header().mutable_settings()->insert({"TRACED_DIR", "traces"});
    stream.addGroup("dp", 0, 2);
    stream.addGroup("undefined", 0, 2).set_nth(1);
    stream.addCall(v1::OPERATION_ALL_REDUCE, 1, 1 << 20, 1 << 20)
        .set_in_place(true);
    stream.addCall(v1::OPERATION_ALL_GATHER_INTO_TENSOR, 2, 4096, 8192,
                   v1::DTYPE_BFLOAT16);
    v1::Call& p2p = rank == 0 ? stream.addCall(v1::OPERATION_SEND, 1, 512, 0)
                              : stream.addCall(v1::OPERATION_RECV, 1, 0, 512);
    p2p.set_peer_plus_1(2 - rank);
    p2p.set_peer_global_plus_1(2 - rank);
    p2p.set_tag(0);

    const std::int64_t start = StreamBuilder::kStartNs + 10 * kMs + rank * kMs;
    for (std::uint64_t i = 0; i < 4; ++i) {
      const std::int64_t at = start + static_cast<std::int64_t>(i) * 20 * kMs;
      stream.addOperation(2 * i + 1, at, 1, i + 1, (4 + rank) * kMs);
      stream.addOperation(2 * i + 2, at + 8 * kMs, 2, i + 1, 1 * kMs);
    }
    std::string bytes = stream.takeChunk();
    const std::uint32_t text = stream.addText("Connection closed by peer");
    const std::int64_t late = start + 90 * kMs;
    stream.add(IssueRow{.op = 9, .issue_ns = late, .call = 3, .seq = 1});
    stream.add(WaitRow{.op = 9,
                       .wait_begin_ns = late + kMs,
                       .wait_ns = 2 * kMs,
                       .outcome = rank,
                       .error = rank == 0 ? 0 : text,
                       .saw_end = 1});
    stream.add(
        IssueRow{.op = 10, .issue_ns = late + 5 * kMs, .call = 1, .seq = 5});
    if (rank == 1) stream.drop(v1::DROP_REASON_RING_FULL, 3);
    bytes += stream.takeChunk(true);
    writeFile(directory + "/rank-" + std::to_string(rank) + ".traced", bytes);
  }
}

}  // namespace traced::testing
