// Translates the vocabulary of Flight Recorder dumps.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "traced/v1/definitions.pb.h"

namespace traced {

// Parts of a name such as "gloo:all_reduce", "nccl:send 0->1", "nccl:recv 1<-0"
// or "fake:recv 1<-?".
struct ProfilingName {
  std::string_view backend;
  std::string_view op;
  // Ranks within the group, for sends and receives only. Absent if not named.
  std::optional<std::uint32_t> self;
  std::optional<std::uint32_t> peer;
};

// Returns the parts of a name. Parts that it lacks are "" or absent; never
// fails.
ProfilingName parseProfilingName(std::string_view name);

// Returns the operation of a name such as "all_reduce", or
// OPERATION_UNSPECIFIED if it is unknown.
v1::Operation operationOfDump(std::string_view op);

struct DumpDType {
  v1::DType dtype = v1::DTYPE_OTHER;
  // Size of one element; 0 if unknown.
  std::uint32_t bytes = 0;
};

// Converts torch's C++ name, such as "Float" or "BFloat16". Returns DTYPE_OTHER
// without a size for an unknown name.
DumpDType dtypeOfDump(std::string_view name);

}  // namespace traced
