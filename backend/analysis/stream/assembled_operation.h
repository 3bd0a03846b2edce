// AssembledOperation collects all rows with one operation id, over all chunks
// of a stream. See docs/reference/format.md, "Rows".

#pragma once

#include <cstdint>

#include "trace_io/operation_progress.h"

namespace traced {

struct AssembledOperation : OperationProgress {
  static constexpr std::uint32_t kNoCall = ~std::uint32_t{0};

  // Index into StreamDefinitions::calls().
  std::uint32_t call = kNoCall;
  // Ids of the stream's definitions; 0: none.
  std::uint32_t buffers = 0;
  std::uint32_t thread = 0;
  std::uint32_t context = 0;
  std::uint32_t stack = 0;
  // How the communication library executed it, as ids of texts. 0: not
  // reported; kSeveral: in several ways. `channels` is the largest number of
  // channels used.
  std::uint32_t algorithm = 0;
  std::uint32_t protocol = 0;
  static constexpr std::uint32_t kSeveral = ~std::uint32_t{0};
  std::uint16_t channels = 0;

  // `call_index`: index into StreamDefinitions::calls().
  [[gnu::always_inline]] void issue(const IssueRow& row,
                                    std::uint32_t call_index) {
    apply(row);
    call = call_index;
    buffers = row.buffers;
    thread = row.thread;
    context = row.context;
    stack = row.stack;
  }
};

}  // namespace traced
