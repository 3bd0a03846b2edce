// One rank's end of a communicator, which operations under way keep alive.

#pragma once

#include <nccl.h>

#include <atomic>
#include <memory>
#include <string>

#include "nccl/segment.h"

namespace simulated {

class Endpoint {
 public:
  Endpoint(std::string its_name, int of_ranks, int own_rank, int on_device)
      : name(std::move(its_name)),
        ranks(of_ranks),
        rank(own_rank),
        device(on_device) {}

  // Waits until all ranks have come.
  ncclResult_t join();
  // Waits for something new; notices peers that died, if it is to.
  void await(std::uint32_t seen);
  std::uint32_t bell() const { return segment->bell[rank]; }
  void abort();
  bool aborted() const { return aborted_; }

  const std::string name;
  const int ranks;
  const int rank;
  const int device;
  Segment segment;
  // What ncclCommGetAsyncError tells.
  std::atomic<ncclResult_t> state{ncclSuccess};

 private:
  bool sharesGpu() const;

  std::atomic<bool> aborted_{false};
};

}  // namespace simulated
