// One rank's end of a communicator. Operations in flight keep it alive.

#pragma once

#include <nccl.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "nccl/segment.h"

namespace simulated {

class Profiled;

class Endpoint {
 public:
  Endpoint(std::string its_name, int of_ranks, int own_rank, int on_device)
      : name(std::move(its_name)),
        ranks(of_ranks),
        rank(own_rank),
        device(on_device) {}

  // Blocks until all ranks have joined.
  ncclResult_t join();
  // Blocks until the bell differs from `seen`. If configured, sets `state` to
  // an error if a peer has died.
  void await(std::uint32_t seen);
  std::uint32_t bell() const { return segment->bell[rank]; }
  void abort();
  // Launches of a communicator run one after the other in the order of their
  // tickets, on whatever streams. awaitTurn() blocks until the ticket's turn.
  // It returns false if the communicator was aborted.
  std::uint64_t ticket() { return next_ticket_++; }
  bool awaitTurn(std::uint64_t ticket);
  void endTurn();
  bool aborted() const { return aborted_; }

  // Set until the communicator is destroyed.
  std::shared_ptr<Profiled> profiled;
  const std::string name;
  const int ranks;
  const int rank;
  const int device;
  Segment segment;
  // The result of ncclCommGetAsyncError.
  std::atomic<ncclResult_t> state{ncclSuccess};

 private:
  bool sharesGpu() const;

  std::atomic<bool> aborted_{false};
  std::atomic<std::uint64_t> next_ticket_{0};
  std::mutex mutex_;
  std::condition_variable turned_;
  std::uint64_t turn_ = 0;
};

}  // namespace simulated
