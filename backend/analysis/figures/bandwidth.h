// Sizes and bandwidths as nccl-tests defines them.
//
// algbw = S / time, busbw = algbw x factor, where S is the size of the
// operation (trace_io/message_size.h) and n the number of ranks:
//
//   all_reduce forms                               factor 2(n-1)/n
//   all_gather, reduce_scatter, all_to_all forms,
//   gather, scatter                                factor (n-1)/n
//   broadcast, reduce, send, recv                  factor 1
//   others                                         no bandwidth
//
// nccl-tests measures all-to-alls of equal parts. Of uneven ones the bytes on
// the bus are S less what the rank sends to itself, which gives (n-1)/n of S
// where parts are equal.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "trace_io/message_size.h"
#include "traced/v1/definitions.pb.h"

namespace traced {

// Absent for operations that have no bandwidth.
std::optional<double> busFactor(v1::Operation op, std::uint32_t group_size);
// Of a rank's call. An all-to-all of uneven splits has the part of S that goes
// to or comes from others, the larger of the two; it is absent where the splits
// are not all recorded.
std::optional<double> busFactor(const v1::Call& call, std::uint32_t group_size,
                                std::uint32_t group_rank);

// The power-of-two bucket a size is in, such as "64-128 KiB"; "0 B" for 0.
std::string sizeBucket(std::uint64_t bytes);

}  // namespace traced
