#include "ring_io/recovery/segment_content.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <system_error>

#include "ring_io/ring/ring.h"
#include "ring_io/ring/segment.h"
#include "ring_io/sinks/trace_parts.h"

namespace traced {
namespace {

// Largest valid ring (TRACED_RING_MB), and ample space for the data before it.
constexpr std::uint64_t kMaxSlots = std::uint64_t{1} << 24;  // 1 GiB
constexpr std::uint64_t kMaxRingOffset = std::uint64_t{16} << 20;
// Enough to detect content in a file that is no segment.
constexpr std::uint64_t kMinBytes = std::uint64_t{64} << 10;

// Returns zeros, which lack the magic number, if there are too few bytes.
SegmentHeader headOf(std::string_view file) {
  SegmentHeader head{};
  if (file.size() >= sizeof head) {
    std::memcpy(&head, file.data(), sizeof head);
  }
  return head;
}

bool fits(std::uint64_t offset, std::uint64_t bytes, std::uint64_t size) {
  return offset <= size && bytes <= size - offset;
}

// Returns whether the header is valid but belongs to a file longer than
// `file_bytes`.
bool isCutShort(const SegmentHeader& head, std::uint64_t file_bytes) {
  return std::has_single_bit(head.slots) && head.slots <= kMaxSlots &&
         head.ring_offset <= kMaxRingOffset &&
         file_bytes < head.ring_offset + Ring::bytesFor(head.slots);
}

bool sizesAreRight(const SegmentHeader& head, std::uint64_t file_bytes) {
  return std::has_single_bit(head.slots) && head.slots <= kMaxSlots &&
         head.info_offset >= sizeof head &&
         head.ring_offset <= kMaxRingOffset &&
         fits(head.info_offset, head.info_bytes, head.ring_offset) &&
         fits(head.ring_offset, Ring::bytesFor(head.slots), file_bytes);
}

}  // namespace

bool isNamed(std::string_view file) {
  const SegmentHeader head = headOf(file);
  return head.magic == SegmentHeader::kMagic && head.named != 0;
}

std::uint64_t streamIdOf(std::string_view file) {
  const SegmentHeader head = headOf(file);
  return head.magic == SegmentHeader::kMagic ? head.stream_id : 0;
}

// The name is "traced.UID.STREAM.ring".
std::uint64_t streamIdIn(std::string_view name) {
  constexpr std::string_view kBegin = "traced.";
  constexpr std::string_view kEnd = ".ring";
  constexpr std::size_t kDigits = 16;
  if (!name.starts_with(kBegin) || !name.ends_with(kEnd)) return 0;
  name.remove_suffix(kEnd.size());
  const std::string_view id = name.substr(name.rfind('.') + 1);
  std::uint64_t stream_id = 0;
  const auto [rest, error] =
      std::from_chars(id.data(), id.data() + id.size(), stream_id, 16);
  const bool whole = error == std::errc{} && rest == id.data() + id.size();
  return whole && id.size() == kDigits ? stream_id : 0;
}

std::string tracePathIn(std::string_view file) {
  const SegmentHeader head = headOf(file);
  if (head.magic != SegmentHeader::kMagic) return "";
  return std::string(head.trace_path,
                     strnlen(head.trace_path, sizeof head.trace_path));
}

bool isUnfinished(std::string_view file) {
  const SegmentHeader head = headOf(file);
  if (head.magic != SegmentHeader::kMagic ||
      !sizesAreRight(head, file.size()) || head.named != 0) {
    return false;
  }
  std::uint64_t position;
  std::memcpy(&position,
              file.data() + head.ring_offset + offsetof(RingControl, head),
              sizeof position);
  return position == 0;
}

std::uint64_t bytesToRead(std::string_view first, std::uint64_t file_bytes) {
  const SegmentHeader head = headOf(first);
  const bool is_segment =
      head.magic == SegmentHeader::kMagic && sizesAreRight(head, file_bytes);
  const std::uint64_t bytes =
      is_segment ? head.ring_offset + Ring::bytesFor(head.slots) : kMinBytes;
  return std::min(bytes, file_bytes);
}

Result<SegmentContent> parseSegment(std::string_view file) {
  return parseSegmentHead(file, file.size());
}

Result<SegmentContent> parseSegmentHead(std::string_view first,
                                        std::uint64_t file_bytes) {
  const SegmentHeader head = headOf(first);
  if (head.magic != SegmentHeader::kMagic) {
    return Error{"not a segment of this version of traced"};
  }
  if (isCutShort(head, file_bytes)) {
    return Error{
        "the file was truncated: records that are not in the trace are "
        "lost"};
  }
  if (!sizesAreRight(head, file_bytes) ||
      !fits(head.info_offset, head.info_bytes, first.size())) {
    return Error{"damaged: its sizes do not fit"};
  }
  SegmentContent content;
  content.ring_offset = head.ring_offset;
  content.slots = head.slots;
  content.trace_path = tracePathIn(first);
  if (!content.header.ParseFromArray(first.data() + head.info_offset,
                                     static_cast<int>(head.info_bytes)) ||
      head.stream_id == 0 || content.header.stream_id() != head.stream_id) {
    return Error{"damaged: it names no process"};
  }
  const bool too_long = content.trace_path.empty() && head.named != 0;
  if (!too_long && (!content.trace_path.starts_with('/') ||
                    stemOf(content.trace_path).empty())) {
    return Error{"it does not name its trace"};
  }
  return content;
}

}  // namespace traced
