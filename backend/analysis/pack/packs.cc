#include "analysis/pack/packs.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "analysis/merge/merge.h"
#include "analysis/merge/pending_file.h"
#include "base/utf8.h"
#include "trace_io/chunk_encoder.h"

namespace traced {
namespace {

namespace fs = std::filesystem;

constexpr char kExtension[] = ".traced";

// Returns the number in a pack's file name, or nullopt if `file` is not a pack
// called `name`.
std::optional<std::uint64_t> numberOf(absl::string_view file,
                                      const std::string& name) {
  std::uint64_t number = 0;
  const bool is_one = absl::ConsumePrefix(&file, absl::StrCat(name, "-")) &&
                      absl::ConsumeSuffix(&file, kExtension) &&
                      absl::SimpleAtoi(file, &number) && number > 0;
  if (!is_one) return std::nullopt;
  return number;
}

}  // namespace

std::string PackNames::path(std::uint64_t number) const {
  return (fs::path(folder) /
          absl::StrFormat("%s-%04d%s", name, number, kExtension))
      .string();
}

PackedChunks::PackedChunks(const PackNames& names) {
  std::vector<std::string> packs;
  std::error_code error;
  for (fs::directory_iterator entry(names.folder, error), end;
       !error && entry != end; entry.increment(error)) {
    const std::string file = entry->path().filename().string();
    const std::optional<std::uint64_t> number = numberOf(file, names.name);
    if (!number) continue;
    packs.push_back(entry->path().string());
    next_number_ = std::max(next_number_, *number + 1);
  }
  if (packs.empty()) return;
  const TraceSet set = indexTraces(packs);
  for (const TraceStream& stream : set.streams) {
    for (const ChunkRef& chunk : stream.chunks) {
      chunks_.insert(keyOf(stream.header.stream_id(), chunk));
    }
  }
  warnings_.insert(set.input_warnings.begin(), set.input_warnings.end());
  unusable_bytes_ = set.unusable_bytes;
}

namespace {

// Returns a chunk with the problems that no pack has reported yet, or "" if
// none are new. It has no clock models: hosts are aligned once all are present.
std::string newsOf(const TraceSet& set, const PackedChunks& packed,
                   const std::string& version) {
  v1::Payload payload;
  v1::Merge& merge = *payload.mutable_merge();
  for (const std::string& warning : set.input_warnings) {
    const std::string text = toValidUtf8(warning);
    if (!packed.hasWarning(text)) merge.add_warning(text);
  }
  if (set.unusable_bytes > packed.unusableBytes()) {
    merge.set_unusable_bytes(set.unusable_bytes - packed.unusableBytes());
  }
  if (merge.warning().empty() && merge.unusable_bytes() == 0) return "";
  merge.set_traced_version(version);
  return ChunkEncoder(0).encode(payload, {});
}

// Writes the packs of one call, one after another.
class PackWriter {
 public:
  PackWriter(const TraceSet& set, const PackPlan& plan,
             std::uint64_t first_number)
      : copier_(set), plan_(plan), number_(first_number) {}

  // Writes a chunk from newsOf(). Returns "" or the reason for the failure.
  std::string putNews(const std::string& chunk) {
    if (!prepare(chunk.size())) return problem_;
    file_->stream() << chunk;
    packs_.back().bytes += chunk.size();
    return file_->ok() ? "" : file_->problem();
  }

  std::string put(const TraceStream& stream, const ChunkRef& chunk) {
    if (!prepare(chunk.framing_bytes + chunk.body_bytes)) return problem_;
    const Result<std::uint64_t> bytes = copier_.copy(chunk, file_->stream());
    if (!bytes) return bytes.error().message;
    Pack& pack = packs_.back();
    pack.bytes += *bytes;
    ++pack.chunks;
    if (std::exchange(latest_, &stream) != &stream) ++pack.streams;
    return file_->ok() ? "" : file_->problem();
  }

  std::string close() {
    if (!file_) return "";
    const std::unique_ptr<PendingFile> file = std::move(file_);
    latest_ = nullptr;
    return file->commit() ? "" : file->problem();
  }

  std::vector<Pack> take() && { return std::move(packs_); }

 private:
  // Ensures that an open pack has room for `bytes`. Returns false and sets
  // `problem_` on failure.
  bool prepare(std::uint64_t bytes) {
    if (file_ && packs_.back().bytes + bytes > plan_.max_bytes) {
      problem_ = close();
      if (!problem_.empty()) return false;
    }
    if (file_) return true;
    const std::string path = plan_.names.path(number_++);
    file_ = std::make_unique<PendingFile>(path, Existing::kKept);
    packs_.push_back({path});
    if (!file_->ok()) problem_ = file_->problem();
    return problem_.empty();
  }

  ChunkCopier copier_;
  const PackPlan& plan_;
  std::uint64_t number_;
  std::unique_ptr<PendingFile> file_;
  const TraceStream* latest_ = nullptr;
  std::vector<Pack> packs_;
  std::string problem_;
};

}  // namespace

Result<std::vector<Pack>> writePacks(const TraceSet& set,
                                     const PackedChunks& packed,
                                     const PackPlan& plan,
                                     const ReadProgress& progress) {
  PackWriter writer(set, plan, packed.nextNumber());
  std::string problem;
  if (plan.reports_damage) {
    const std::string news = newsOf(set, packed, plan.version);
    if (!news.empty()) problem = writer.putNews(news);
  }
  std::uint64_t done = 0, total = 0;
  for (const TraceFile& file : set.files) total += file.bytes;
  for (const TraceStream& stream : set.streams) {
    for (const ChunkRef& chunk : stream.chunks) {
      if (!problem.empty()) return Error{problem};
      done += chunk.body_bytes;
      if (packed.has(stream.header.stream_id(), chunk)) continue;
      problem = writer.put(stream, chunk);
    }
    if (progress) progress(done, total);
  }
  if (problem.empty()) problem = writer.close();
  if (!problem.empty()) return Error{problem};
  return std::move(writer).take();
}

}  // namespace traced
