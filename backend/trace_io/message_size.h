// Computes the message size of a call, as nccl-tests counts it.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "traced/v1/definitions.pb.h"

namespace traced {

// Describes how the bytes of a call relate to S, the size of its message, and
// to the bus.
enum class Traffic : std::uint8_t {
  kNone,
  kTensor,      // S is the tensor, moved once
  kAllReduce,   // S is the tensor, reduced and sent back
  kGathered,    // S is the output: n inputs
  kGatherRoot,  // S is the output, which only the root has
  kScattered,   // S is the input: n outputs
  kScatterRoot,
  kAllToAll,
};

Traffic trafficOf(v1::Operation op);

// Returns S in bytes: the whole array of a gathering, scattering or all-to-all
// operation, the tensor of any other. `group_size` is n.
std::uint64_t messageBytes(const v1::Call& call, std::uint32_t group_size);

// Returns the number of elements in one of a run's equal tensors. Returns 0 if
// it does not fit 63 bits, which only a damaged file can claim.
std::int64_t elementsOfEach(const v1::TensorRun& run);
// Returns the number of elements in all tensors of all runs, or nullopt if it
// overflows.
std::optional<std::int64_t> elementsOf(
    const google::protobuf::RepeatedPtrField<v1::TensorRun>& runs);

// Returns the bytes that an all-to-all sends to each of its n members, in group
// rank order. Includes the rank's own part. Empty if unknown.
std::vector<std::uint64_t> bytesToEach(const v1::Call& call,
                                       std::uint32_t group_size);

// Returns S without the share that a rank keeps to itself: its own part of a
// gathering, scattering or all-to-all operation. Returns nullopt if that part
// is unknown.
std::optional<std::uint64_t> bytesForOthers(const v1::Call& call,
                                            std::uint32_t group_size,
                                            std::uint32_t group_rank);

}  // namespace traced
