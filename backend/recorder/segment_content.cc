#include "recorder/segment_content.h"

#include <bit>
#include <cstddef>
#include <cstring>

#include "recorder/ring.h"
#include "recorder/segment.h"
#include "recorder/trace_parts.h"

namespace traced {
namespace {

constexpr std::uint64_t kMostSlots = std::uint64_t{1} << 24;  // 1 GiB

// All zero, and so without the magic number, when there are too few bytes.
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

bool sizesAreRight(const SegmentHeader& head, std::uint64_t file_bytes) {
  return std::has_single_bit(head.slots) && head.slots <= kMostSlots &&
         head.info_offset >= sizeof head &&
         fits(head.info_offset, head.info_bytes, head.ring_offset) &&
         fits(head.ring_offset, Ring::bytesFor(head.slots), file_bytes);
}

}  // namespace

std::string tracePathIn(std::string_view file) {
  const SegmentHeader head = headOf(file);
  if (head.magic != SegmentHeader::kMagic) return "";
  return std::string(head.trace_path,
                     strnlen(head.trace_path, sizeof head.trace_path));
}

bool wasNeverUsed(std::string_view file) {
  const SegmentHeader head = headOf(file);
  if (head.magic != SegmentHeader::kMagic) {
    const std::string_view first = file.substr(0, sizeof head);
    return first.find_first_not_of('\0') == std::string_view::npos;
  }
  if (!sizesAreRight(head, file.size()) || head.trace_path[0] != '\0') {
    return false;
  }
  std::uint64_t position;
  std::memcpy(&position,
              file.data() + head.ring_offset + offsetof(RingControl, head),
              sizeof position);
  return position == 0;
}

Result<SegmentContent> parseSegment(std::string_view file) {
  const SegmentHeader head = headOf(file);
  if (head.magic != SegmentHeader::kMagic) {
    return Error{"no segment of this version of traced"};
  }
  if (!sizesAreRight(head, file.size())) {
    return Error{"damaged: its sizes do not fit"};
  }
  SegmentContent content;
  content.ring_offset = head.ring_offset;
  content.slots = head.slots;
  content.trace_path = tracePathIn(file);
  if (!content.header.ParseFromArray(file.data() + head.info_offset,
                                     static_cast<int>(head.info_bytes)) ||
      head.stream_id == 0 || content.header.stream_id() != head.stream_id) {
    return Error{"damaged: it does not say whose it is"};
  }
  if (content.trace_path.empty() || content.trace_path.front() != '/' ||
      stemOf(content.trace_path).empty()) {
    return Error{"it does not name its trace"};
  }
  return content;
}

}  // namespace traced
