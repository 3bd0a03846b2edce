#include "analysis/merge/chunk_copier.h"

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "trace_io/chunk_scanner.h"

namespace traced {

Result<std::uint64_t> ChunkCopier::copy(const ChunkRef& chunk,
                                        std::ostream& out) {
  const std::string_view body = loader_.body(chunk);
  if (body.empty()) {
    return Error{absl::StrCat(set_.files[chunk.file].path,
                              ": changed while it was being copied")};
  }
  const std::string framing = chunkFraming(body.size());
  out << framing << body;
  return framing.size() + body.size();
}

}  // namespace traced
