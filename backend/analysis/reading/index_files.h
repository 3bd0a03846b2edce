// Indexes files in threads.

#pragma once

#include <string>

#include "absl/types/span.h"
#include "analysis/reading/chunk_index.h"
#include "analysis/reading/trace_set.h"

namespace traced {

// In as many threads as are of use. What is found does not depend on how many
// there are.
ChunkIndex indexFiles(absl::Span<const std::string> paths,
                      const ReadProgress& progress);

}  // namespace traced
