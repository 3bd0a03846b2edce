// How an operation is said to be carried out: what a real NCCL would choose.
// Here it changes with every operation of the process, so that none is like the
// next.

#pragma once

#include <cstdint>

namespace simulated {

struct Method {
  // nullptr: as of messages, which have none.
  const char* algorithm = nullptr;
  const char* protocol = nullptr;
  std::uint8_t channels = 0;
};

// `is_message`: it is a send or receive, or made of such.
Method nextMethod(bool is_message);

}  // namespace simulated
