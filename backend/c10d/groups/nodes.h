// Exchanges node names between the ranks of a job through the job's store: each
// rank publishes its own and reads those of others. No rank waits for another,
// and a failing store never fails the job.

#pragma once

#include <cstdint>
#include <string>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

namespace traced {

// The tracer's part of a job's store. `job` distinguishes default groups that a
// process creates one after another, because they may share a store.
struct NodeStore {
  c10::intrusive_ptr<c10d::Store> store;
  std::uint64_t job = 0;
};

// Publishes the node of a global rank. Errors are ignored.
void publishNode(const NodeStore& nodes, std::uint32_t rank,
                 const std::string& node) noexcept;

// Applies the configured scope to the group's backends, as far as the store has
// the node names.
void decideScope(c10d::ProcessGroup& group, const NodeStore& nodes) noexcept;

}  // namespace traced
