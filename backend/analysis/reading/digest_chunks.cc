#include "analysis/reading/digest_chunks.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "trace_io/word_hash.h"
#include "xxhash.h"

namespace traced {
namespace {

std::tuple<std::uint32_t, std::uint64_t, std::uint64_t> worth(
    const DigestRef& digest) {
  return {digest.streams, digest.chunk.end_position, digest.chunk.checksum};
}

}  // namespace

std::uint64_t hashOf(const v1::DigestLook& look,
                     std::vector<std::uint64_t> stream_ids) {
  std::sort(stream_ids.begin(), stream_ids.end());
  const std::string bytes = look.SerializeAsString();
  return wordHash(stream_ids, XXH3_64bits(bytes.data(), bytes.size()));
}

void addLook(const DigestLookRef& look, std::vector<DigestLookRef>& looks) {
  const auto place =
      std::lower_bound(looks.begin(), looks.end(), look.hash,
                       [](const DigestLookRef& known, std::uint64_t wanted) {
                         return known.hash < wanted;
                       });
  if (place != looks.end() && place->hash == look.hash) return;
  looks.insert(place, look);
}

void keepBetter(const DigestRef& other, std::optional<DigestRef>& digest) {
  if (!digest || worth(*digest) < worth(other)) digest = other;
}

void keepDigested(TraceStream& stream) {
  std::vector<ChunkRef>& chunks = stream.chunks;
  if (!stream.digest) return;
  const std::uint64_t first = stream.digest->chunk.first_position;
  if (!chunks.empty() && chunks.front().first_position <= first) return;
  auto begin = chunks.end();
  while (begin != chunks.begin()) {
    const auto before = std::prev(begin);
    const bool follows =
        begin == chunks.end() || before->end_position == begin->first_position;
    if (!follows) break;
    begin = before;
  }
  chunks.erase(chunks.begin(), begin);
  stream.begins_later = true;
}

}  // namespace traced
