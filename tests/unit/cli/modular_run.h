// A made-up run of two ranks with module names: a model of two layers, of which
// the first is recomputed, and a separate loss.

#pragma once

#include <string>

#include "support/stream_builder.h"
#include "support/write_file.h"

namespace traced::testing {

inline std::uint32_t addModule(StreamBuilder& stream, const std::string& module,
                               const std::string& type, v1::Phase phase) {
  v1::Context& context = stream.addContext();
  context.set_model("Net");
  context.set_module(module);
  context.set_module_type(type);
  context.set_phase(phase);
  return context.id();
}

inline void writeModularRun(const std::string& directory) {
  constexpr std::int64_t kMs = 1'000'000;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    StreamBuilder stream(rank);
    stream.addGroup("dp", 0, 2);
    stream.addCall(v1::OPERATION_ALL_GATHER_INTO_TENSOR, 1, 512, 1024);
    stream.addCall(v1::OPERATION_REDUCE_SCATTER_TENSOR, 1, 1024, 512);
    stream.addCall(v1::OPERATION_ALL_REDUCE, 1, 4, 4, v1::DTYPE_BFLOAT16)
        .set_in_place(true);

    std::uint64_t id = 1;
    std::int64_t at = StreamBuilder::kIssueNs;
    const auto issue = [&](std::uint32_t call, std::uint32_t context) {
      stream.add(IssueRow{.op = id,
                          .issue_ns = at,
                          .call = call,
                          .seq = id,
                          .context = context});
      stream.add(ReturnRow{.op = id, .return_ns = at + kMs / 10});
      stream.add(DoneRow{
          .op = id, .end_ns = at + 2 * kMs, .source = v1::END_SOURCE_FUTURE});
      ++id;
      at += 5 * kMs;
    };
    const std::string layers[] = {"layers.10", "layers.9"};
    for (const std::string& layer : layers) {
      issue(1, addModule(stream, layer, "Layer", v1::PHASE_FORWARD));
    }
    issue(1, addModule(stream, layers[0], "Layer", v1::PHASE_RECOMPUTE));
    for (const std::string& layer : layers) {
      issue(1, addModule(stream, layer, "Layer", v1::PHASE_BACKWARD));
      issue(2, addModule(stream, layer, "Layer", v1::PHASE_BACKWARD));
    }
    issue(3, addModule(stream, "", "Net", v1::PHASE_FORWARD));
    v1::Context& optimizer = stream.addContext();
    optimizer.set_phase(v1::PHASE_OPTIMIZER);
    const std::uint32_t optimizing = optimizer.id();
    issue(3, optimizing);
    // Only rank 1 has an operation without any context.
    if (rank == 1) issue(3, 0);
    writeFile(directory + "/rank-" + std::to_string(rank) + ".traced",
              stream.takeChunk(true));
  }
}

}  // namespace traced::testing
