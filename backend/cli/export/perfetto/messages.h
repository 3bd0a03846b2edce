// Field numbers of Perfetto's messages, and a writer for them.

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace traced {

// Field numbers of Perfetto's published trace schema, as far as they are used.
// A test parses the output with Perfetto's own messages and fails on a field
// that they do not know.
// A file is one message of packets.
namespace trace {
inline constexpr std::uint32_t kPacket = 1;
}

namespace packet {
inline constexpr std::uint32_t kClockSnapshot = 6;
inline constexpr std::uint32_t kTimestamp = 8;
// The writer of the packet. Each sequence has its own interned strings.
inline constexpr std::uint32_t kSequence = 10;
inline constexpr std::uint32_t kTrackEvent = 11;
inline constexpr std::uint32_t kInternedData = 12;
inline constexpr std::uint32_t kSequenceFlags = 13;
inline constexpr std::uint32_t kSystemInfo = 45;
inline constexpr std::uint32_t kDefaults = 59;
inline constexpr std::uint32_t kTrackDescriptor = 60;
// The host. Absent for the host of the common time line.
inline constexpr std::uint32_t kMachine = 98;

// Values of kSequenceFlags: the interned strings start anew, or are needed.
inline constexpr std::uint64_t kStateCleared = 1;
inline constexpr std::uint64_t kNeedsState = 2;
}  // namespace packet

namespace defaults {
inline constexpr std::uint32_t kTrackEvent = 11;
}

namespace clock_snapshot {
inline constexpr std::uint32_t kClock = 1;
inline constexpr std::uint32_t kClockId = 1;
inline constexpr std::uint32_t kClockTimestamp = 2;
// Numbers of the clocks that the format defines.
inline constexpr std::uint64_t kRealtime = 1;
inline constexpr std::uint64_t kMonotonic = 3;
inline constexpr std::uint64_t kBoottime = 6;
}  // namespace clock_snapshot

namespace system_info {
inline constexpr std::uint32_t kMachineName = 17;
}

namespace track {
inline constexpr std::uint32_t kUuid = 1;
inline constexpr std::uint32_t kName = 2;
inline constexpr std::uint32_t kProcess = 3;
inline constexpr std::uint32_t kParent = 5;
inline constexpr std::uint32_t kCounter = 8;
inline constexpr std::uint32_t kChildOrdering = 11;
inline constexpr std::uint32_t kRankAmongSiblings = 12;
inline constexpr std::uint32_t kDescription = 14;
// The page shows tracks with the same parent and key as one track.
inline constexpr std::uint32_t kMergeBehavior = 15;
inline constexpr std::uint32_t kMergeKey = 17;
inline constexpr std::uint32_t kProcessOrdering = 19;

// The parent of all processes, which defines their order.
inline constexpr std::uint64_t kRoot = 0;
inline constexpr std::uint64_t kProcessesByRank = 1;
inline constexpr std::uint64_t kExplicitOrder = 3;
inline constexpr std::uint64_t kMergeByKey = 3;
}  // namespace track

namespace process {
inline constexpr std::uint32_t kPid = 1;
inline constexpr std::uint32_t kSortIndex = 3;
inline constexpr std::uint32_t kName = 6;
inline constexpr std::uint32_t kLabel = 8;
}  // namespace process

namespace counter {
inline constexpr std::uint32_t kUnit = 3;
inline constexpr std::uint64_t kNanoseconds = 1;
inline constexpr std::uint64_t kCount = 2;
inline constexpr std::uint64_t kBytes = 3;
}  // namespace counter

namespace event {
inline constexpr std::uint32_t kAnnotation = 4;
inline constexpr std::uint32_t kType = 9;
inline constexpr std::uint32_t kNameId = 10;
inline constexpr std::uint32_t kTrack = 11;
// Values of counters, in the order of their tracks.
inline constexpr std::uint32_t kCounterValues = 12;
inline constexpr std::uint32_t kCounterValue = 30;
inline constexpr std::uint32_t kCounterTracks = 31;
inline constexpr std::uint32_t kFlow = 47;
inline constexpr std::uint32_t kEndOfFlow = 48;
inline constexpr std::uint32_t kCorrelation = 52;

inline constexpr std::uint64_t kBegin = 1;
inline constexpr std::uint64_t kEnd = 2;
inline constexpr std::uint64_t kInstant = 3;
inline constexpr std::uint64_t kCounter = 4;
}  // namespace event

namespace annotation {
inline constexpr std::uint32_t kNameId = 1;
inline constexpr std::uint32_t kUnsigned = 3;
inline constexpr std::uint32_t kSigned = 4;
inline constexpr std::uint32_t kStringId = 17;
}  // namespace annotation

// Each interned entry has an id and a text.
namespace interned {
inline constexpr std::uint32_t kEventNames = 2;
inline constexpr std::uint32_t kAnnotationNames = 3;
inline constexpr std::uint32_t kAnnotationStrings = 29;
inline constexpr std::uint32_t kId = 1;
inline constexpr std::uint32_t kText = 2;
}  // namespace interned

// MessageWriter appends the fields of a protobuf message to a string. A trace
// has millions of small packets, and message objects would be several times
// slower.
class MessageWriter {
 public:
  void clear() { bytes_.clear(); }
  std::string_view bytes() const { return bytes_; }

  void add(std::uint32_t field, std::uint64_t value) {
    tag(field, 0);
    varint(value);
  }
  void addSigned(std::uint32_t field, std::int64_t value) {
    add(field, static_cast<std::uint64_t>(value));
  }
  void addFixed64(std::uint32_t field, std::uint64_t value) {
    tag(field, 1);
    for (int shift = 0; shift < 64; shift += 8) {
      bytes_ += static_cast<char>(value >> shift);
    }
  }
  void addDouble(std::uint32_t field, double value) {
    addFixed64(field, std::bit_cast<std::uint64_t>(value));
  }
  // Adds a string or a complete message.
  void add(std::uint32_t field, std::string_view bytes) {
    tag(field, 2);
    varint(bytes.size());
    bytes_ += bytes;
  }
  void add(std::uint32_t field, const MessageWriter& message) {
    add(field, message.bytes());
  }
  // Appends the fields of another message to this one.
  void append(const MessageWriter& fields) { bytes_ += fields.bytes_; }

 private:
  void tag(std::uint32_t field, std::uint32_t wire_type) {
    varint(std::uint64_t{field} << 3 | wire_type);
  }
  void varint(std::uint64_t value) {
    char encoded[10];
    std::size_t size = 0;
    for (; value >= 0x80; value >>= 7) {
      encoded[size++] = static_cast<char>(value | 0x80);
    }
    encoded[size++] = static_cast<char>(value);
    bytes_.append(encoded, size);
  }

  std::string bytes_;
};

}  // namespace traced
