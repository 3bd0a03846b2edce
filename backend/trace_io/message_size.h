// How large the message of a call is, as nccl-tests counts it.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "traced/v1/definitions.pb.h"

namespace traced {

// How the bytes of a call relate to S, the size of its message, and to the bus.
enum class Traffic : std::uint8_t {
  kNone,
  kTensor,      // S is the tensor, moved once
  kAllReduce,   // S is the tensor, moved there and back
  kGathered,    // S is the output: n inputs
  kGatherRoot,  // the same, but only the root has an output
  kScattered,   // S is the input: n outputs
  kScatterRoot,
  kAllToAll,
};

Traffic trafficOf(v1::Operation op);

// S in bytes: the whole array of a gathering, scattering or all-to-all
// operation, the tensor of any other. `group_size` is n.
std::uint64_t messageBytes(const v1::Call& call, std::uint32_t group_size);

// The number of elements of one of a run's equal tensors; 0 where it does not
// fit 63 bits, which only a file can claim.
std::int64_t elementsOfEach(const v1::TensorRun& run);
// Of all tensors of all runs; absent where that does not fit.
std::optional<std::int64_t> elementsOf(
    const google::protobuf::RepeatedPtrField<v1::TensorRun>& runs);

// What an all-to-all sends to each of its n members, in their order, its own
// part among them; empty where that is not known.
std::vector<std::uint64_t> bytesToEach(const v1::Call& call,
                                       std::uint32_t group_size);

// S without the share that a rank keeps to itself: its own part of a gathering,
// scattering or all-to-all operation. Absent where that part is not known.
std::optional<std::uint64_t> bytesForOthers(const v1::Call& call,
                                            std::uint32_t group_size,
                                            std::uint32_t group_rank);

}  // namespace traced
