// How the ranks of a job learn on which node each of them is: every one writes
// it into the job's store, and reads there what others wrote. Nobody waits for
// anybody, and whatever the store does, no job fails by it.

#pragma once

#include <cstdint>
#include <string>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

namespace traced {

// The part of a job's store that is ours. `job` tells apart the default groups
// that a process makes one after the other: they may share a store.
struct NodeStore {
  c10::intrusive_ptr<c10d::Store> store;
  std::uint64_t job = 0;
};

// Says that a global rank is on `node`.
void publishNode(const NodeStore& nodes, std::uint32_t rank,
                 const std::string& node) noexcept;

// Decides for the backends of a group what the scope leaves out, as far as the
// store has the nodes by now.
void decideScope(c10d::ProcessGroup& group, const NodeStore& nodes) noexcept;

}  // namespace traced
