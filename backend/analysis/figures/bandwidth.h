// Computes sizes and bandwidths as nccl-tests defines them.
//
// algbw = S / time and busbw = algbw x factor. S is the size of the operation
// (trace_io/message_size.h), n the number of ranks:
//
// all_reduce forms                               factor 2(n-1)/n
// all_gather, reduce_scatter, all_to_all forms,
// gather, scatter                                factor (n-1)/n
// broadcast, reduce, send, recv                  factor 1
// others                                         no bandwidth
//
// nccl-tests measures all-to-alls with equal parts. With uneven parts, the
// bytes on the bus are S minus the part that the rank sends to itself. This
// equals (n-1)/n of S for equal parts.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "trace_io/message_size.h"
#include "traced/v1/definitions.pb.h"

namespace traced {

// Returns nullopt for operations without a bandwidth.
std::optional<double> busFactor(v1::Operation op, std::uint32_t group_size);
// Returns the factor for one rank's call. For an all-to-all with uneven splits
// it is the part of S sent to or received from other ranks, whichever is
// larger. Returns nullopt if some splits were not recorded.
std::optional<double> busFactor(const v1::Call& call, std::uint32_t group_size,
                                std::uint32_t group_rank);

// Returns the power-of-two bucket of a size, such as "64-128 KiB"; "0 B" for 0.
std::string sizeBucket(std::uint64_t bytes);

}  // namespace traced
