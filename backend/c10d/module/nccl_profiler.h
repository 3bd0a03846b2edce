// How NCCL tells us what it does (TRACED_NCCL_PROFILER).

#pragma once

#include <string>

namespace traced {

// Loads the library that NCCL is to load as its profiler plugin, and gives it
// the recorder. NCCL then finds this very library. Returns why it cannot be, ""
// if it can.
std::string connectNcclProfiler(const std::string& library);

}  // namespace traced
