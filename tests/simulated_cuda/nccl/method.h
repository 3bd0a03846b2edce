// The reported algorithm, protocol and channels of an operation: values that a
// real NCCL could choose. They change with every operation of the process, so
// that neighbours always differ.

#pragma once

#include <cstdint>

namespace simulated {

struct Method {
  // nullptr for messages, which have no algorithm.
  const char* algorithm = nullptr;
  const char* protocol = nullptr;
  std::uint8_t channels = 0;
};

// `is_message`: a send, a receive, or a collective built from them.
Method nextMethod(bool is_message);

}  // namespace simulated
