// The words of Flight Recorder dumps, and what they are called here.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "traced/v1/definitions.pb.h"

namespace traced {

// "gloo:all_reduce", "nccl:send 0->1", "nccl:recv 1<-0", "fake:recv 1<-?".
struct ProfilingName {
  std::string_view backend;
  std::string_view op;
  // Ranks within the group; only of sends and receives, and absent where the
  // name does not tell.
  std::optional<std::uint32_t> self;
  std::optional<std::uint32_t> peer;
};

ProfilingName parseProfilingName(std::string_view name);

// OPERATION_UNSPECIFIED for a name that is not known.
v1::Operation operationOfDump(std::string_view op);

struct DumpDType {
  v1::DType dtype = v1::DTYPE_OTHER;
  // Of one element, 0 when that is not known.
  std::uint32_t bytes = 0;
};

// Of torch's C++ name: "Float", "BFloat16".
DumpDType dtypeOfDump(std::string_view name);

}  // namespace traced
