#include "analysis/digest/write_digests.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "analysis/digest/digest_file.h"
#include "analysis/digest/digest_maker.h"
#include "analysis/reading/digest_chunks.h"
#include "analysis/reading/stream_window.h"
#include "base/utf8.h"

namespace traced {
namespace {

// Of each stream so long an end stays, or a fortieth of it.
constexpr std::uint64_t kFewestLatestBytes = 8 << 10;
constexpr std::uint64_t kLatestPart = 40;
// Whether sums would take as much is only asked of small traces.
constexpr std::uint64_t kMostWholeBytes = 16 << 20;

std::uint64_t bytesOf(const std::vector<ChunkRef>& chunks) {
  std::uint64_t bytes = 0;
  for (const ChunkRef& chunk : chunks) {
    bytes += chunk.framing_bytes + chunk.body_bytes;
  }
  return bytes;
}

// One that all of is in digests goes along as it is.
bool isCarried(const TraceSet& set, const TraceStream& stream) {
  return stream.isDigested() ||
         (!stream.chunks.empty() &&
          std::all_of(stream.chunks.begin(), stream.chunks.end(),
                      [&set](const ChunkRef& chunk) {
                        return set.files[chunk.file].is_digest;
                      }));
}

// The set, its traces selected.
TraceSet tracesOf(const TraceSet& set) {
  TraceSet traces = set;
  std::erase_if(traces.selected, [&set](std::size_t i) {
    const TraceStream& stream = set.streams[i];
    return isCarried(set, stream) || stream.chunks.empty();
  });
  return traces;
}

class DigestWriter {
 public:
  DigestWriter(const TraceSet& set, const DigestOptions& options,
               std::ostream& out)
      : set_(set), traces_(tracesOf(set)), options_(options), file_(set, out) {
    for (const std::size_t i : traces_.selected) {
      result_.trace_bytes += bytesOf(set_.streams[i].chunks);
    }
  }

  Result<DigestResult> write() {
    if (traces_.selected.empty()) {
      v1::DigestLook note;
      for (const std::string& warning : set_.input_warnings) {
        note.add_warning(toValidUtf8(warning));
      }
      note.set_unusable_bytes(set_.unusable_bytes);
      writeLooks({hashOf(note, {}), note});
    } else {
      writeMade();
    }
    carryUpTo(set_.streams.size());
    result_.bytes = file_.bytes();
    if (!problem_.empty()) return Error{problem_};
    if (!file_.problem().empty()) return Error{file_.problem()};
    return result_;
  }

 private:
  void writeMade() {
    DigestMaker maker(traces_, options_.version);
    const DigestLookRef look = lookOf(maker);
    const auto encode = [&](std::size_t i, const v1::Payload& payload) {
      return file_.encode(set_.streams[i], payload, look.hash,
                          traces_.selected.size());
    };
    if (options_.latest_bytes || result_.trace_bytes > kMostWholeBytes) {
      writeLooks(look);
      maker.make([&](std::size_t i, const v1::Payload& payload) {
        writeDigest(i, encode(i, payload));
      });
      return;
    }
    std::vector<std::string> made;
    std::uint64_t bytes = 0;
    maker.make([&](std::size_t i, const v1::Payload& payload) {
      made.push_back(encode(i, payload));
      bytes += made.back().size() + bytesOf(latestOf(set_.streams[i]));
    });
    if (bytes >= result_.trace_bytes) return writeWhole(maker.look());
    writeLooks(look);
    for (std::size_t n = 0; n < made.size(); ++n) {
      writeDigest(traces_.selected[n], made[n]);
    }
  }

  DigestLookRef lookOf(const DigestMaker& maker) const {
    std::vector<std::uint64_t> ids;
    for (const std::size_t i : traces_.selected) {
      ids.push_back(set_.streams[i].header.stream_id());
    }
    return {hashOf(maker.look(), std::move(ids)), maker.look()};
  }

  // Nothing was added up; what was wrong with the inputs is said all the same.
  void writeWhole(const v1::DigestLook& look) {
    v1::DigestLook note;
    *note.mutable_warning() = look.warning();
    note.set_unusable_bytes(look.unusable_bytes());
    writeLooks({hashOf(note, {}), note});
    for (const std::size_t i : traces_.selected) {
      carryUpTo(i);
      file_.put(set_.streams[i].chunks);
      ++result_.streams;
      ++result_.whole;
    }
  }

  void writeDigest(std::size_t i, const std::string& digest) {
    if (digest.empty()) {
      problem_ =
          absl::StrCat("the sums of rank ", set_.streams[i].header.rank(),
                       " are larger than a reader takes; keep its trace");
    }
    carryUpTo(i);
    file_.put(digest);
    file_.put(latestOf(set_.streams[i]));
    ++result_.streams;
  }

  // What is in digests of the streams in front of one.
  void carryUpTo(std::size_t end) {
    for (; next_ < end; ++next_) {
      const TraceStream& stream = set_.streams[next_];
      if (!isCarried(set_, stream)) continue;
      if (stream.isDigested()) {
        file_.put(std::vector<ChunkRef>{stream.digest->chunk});
      }
      file_.put(stream.chunks);
      ++result_.streams;
      result_.whole += !stream.isDigested();
    }
  }

  // The new one, if it says anything, and those that go along: of digests that
  // do, and what was said of streams that are whole.
  void writeLooks(const DigestLookRef& own) {
    absl::flat_hash_set<std::uint64_t> named;
    for (const TraceStream& stream : set_.streams) {
      if (stream.isDigested()) named.insert(stream.digest->look);
    }
    std::vector<DigestLookRef> looks;
    for (const DigestLookRef& look : set_.looks) {
      const bool is_note = look.look.window_ns() == 0;
      if (is_note || named.contains(look.hash)) addLook(look, looks);
    }
    if (own.look.window_ns() > 0 || own.look.warning_size() > 0 ||
        looks.empty()) {
      addLook(own, looks);
    }
    file_.put(looks);
  }

  std::vector<ChunkRef> latestOf(const TraceStream& stream) const {
    if (options_.latest_bytes == 0u) return {};
    const std::uint64_t bytes = options_.latest_bytes.value_or(
        std::max(kFewestLatestBytes, bytesOf(stream.chunks) / kLatestPart));
    return latestChunks(stream.chunks, bytes);
  }

  const TraceSet& set_;
  const TraceSet traces_;
  const DigestOptions& options_;
  DigestFile file_;
  DigestResult result_;
  std::string problem_;
  // The stream that may be carried next.
  std::size_t next_ = 0;
};

}  // namespace

Result<DigestResult> writeDigests(const TraceSet& set, const std::string& path,
                                  Existing existing,
                                  const DigestOptions& options) {
  PendingFile file(path, existing);
  if (!file.ok()) return Error{file.problem()};
  Result<DigestResult> result =
      DigestWriter(set, options, file.stream()).write();
  if (result && !file.commit()) return Error{file.problem()};
  return result;
}

}  // namespace traced
