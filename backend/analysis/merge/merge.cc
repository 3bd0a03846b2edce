#include "analysis/merge/merge.h"

#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/clocks/align_clocks.h"
#include "base/utf8.h"
#include "trace_io/chunk_encoder.h"
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

namespace {

v1::Payload describeMerge(const TraceSet& set, const std::string& version,
                          AlignedClocks clocks,
                          const std::vector<std::string>& clock_warnings) {
  v1::Payload payload;
  v1::Merge& merge = *payload.mutable_merge();
  merge.set_traced_version(version);
  for (std::size_t i = 0; i < set.streams.size(); ++i) {
    if (set.streams[i].dump_file) continue;
    merge.mutable_clock()->Add(std::move(clocks.models[i]));
  }
  for (const std::string& warning : set.input_warnings) {
    merge.add_warning(toValidUtf8(warning));
  }
  for (const std::string& warning : clock_warnings) {
    merge.add_warning(toValidUtf8(warning));
  }
  merge.set_unusable_bytes(set.unusable_bytes);
  return payload;
}

}  // namespace

Result<MergeResult> writeMerged(const TraceSet& set, const std::string& path,
                                Existing existing, const std::string& version,
                                const ClockWords& clock_words,
                                const ReadProgress& progress) {
  PendingFile out(path, existing);
  if (!out.ok()) return Error{out.problem()};

  MergeResult result;
  std::uint64_t total = 0;
  for (const TraceFile& file : set.files) total += file.bytes;

  AlignedClocks clocks = alignClocks(set);
  for (const ClockWarning& warning : clocks.warnings) {
    result.clock_warnings.push_back(clock_words(warning));
  }
  const std::string first = ChunkEncoder(0).encode(
      describeMerge(set, version, std::move(clocks), result.clock_warnings),
      {});
  out.stream() << first;
  result.bytes = first.size();
  ChunkCopier copier(set);
  for (const TraceStream& stream : set.streams) {
    if (stream.dump_file || stream.chunks.empty()) continue;
    ++result.streams;
    for (const ChunkRef& chunk : stream.chunks) {
      const Result<std::uint64_t> bytes = copier.copy(chunk, out.stream());
      if (!bytes) return bytes.error();
      result.bytes += *bytes;
      ++result.chunks;
      if (!out.ok()) return Error{out.problem()};
    }
    if (progress) progress(result.bytes, total);
  }
  if (!out.commit()) return Error{out.problem()};
  return result;
}

}  // namespace traced
