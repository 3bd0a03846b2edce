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

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "trace_io/message_size.h"
#include "traced/v1/definitions.pb.h"

namespace traced {

// Absent for operations that have no bandwidth.
std::optional<double> busFactor(v1::Operation op, std::uint32_t group_size);

// The power-of-two bucket a size is in, such as "64-128 KiB"; "0 B" for 0.
std::string sizeBucket(std::uint64_t bytes);

}  // namespace traced
