// Segment holds the ring in a preallocated file in shared memory, so that a
// killed process leaves its last records behind.
//
// The owner holds a lock (flock) on the file while it lives. If the lock can be
// taken, the owner is dead, and the new holder may recover the ring.
//
// Nobody else takes the second lock, an open file description lock. Readers
// query its holder without disturbing the first lock.
//
// The owner removes the file when it closes in order. No descriptor is kept,
// because the mapping holds the locks. A job that closes unknown descriptors
// can therefore neither release them nor lose a file to us.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "ring_io/ring/ring_guard.h"

namespace traced {

// The first page of a segment file. `info` (the stream's serialized Header)
// follows, and the ring begins at ring_offset.
struct SegmentHeader {
  static constexpr std::uint64_t kMagic = 0x35474E4952445254;  // "TRDRING5"
  std::uint64_t magic;
  std::uint64_t stream_id;
  std::uint64_t ring_offset;
  std::uint64_t slots;
  std::uint32_t info_offset;
  std::uint32_t info_bytes;
  // Set when the other fields are complete: the segment is ready.
  std::uint64_t named;
  // Absolute path of part 0 of the trace that receives the records,
  // NUL-terminated. Empty if it is too long.
  char trace_path[3072];
};

class Segment {
 public:
  // Creates a segment in `directory` with `slots`, or fewer if they would take
  // more than an eighth of the free space.
  // On failure it retries with fewer slots, then with private memory, which
  // does not outlive the process. slots() and note() describe the result.
  // Returns nullptr if memory is short.
  static std::unique_ptr<Segment> create(const std::string& directory,
                                         std::uint64_t stream_id,
                                         std::uint64_t slots,
                                         const std::string& info);
  // Removes the file.
  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  void* ringMemory() const { return ring_; }
  std::uint64_t slots() const { return slots_; }
  // Returns "" or one sentence about what could not be allocated.
  const std::string& note() const { return note_; }
  // Returns "" if the memory is private.
  const std::string& path() const { return path_; }
  // Returns a flag that is set when another process truncated the file. The
  // memory is then private and the ring unusable. Earlier reads remain valid.
  const std::atomic<bool>& isLost() const { return guard_->isLost(); }

  // Writes the trace path into the header and declares the segment ready. A
  // path that is too long is omitted. Readers then find the trace by its stream
  // id.
  void setTracePath(const std::string& path);

  // Removes the file; the memory stays valid until destruction. Returns false
  // and sets errno on failure.
  bool unlinkFile();
  // Detaches from the file: in a forked child, so that only the parent holds
  // the lock, or after the file was removed.
  // The ring is full from then on, and later writes are discarded.
  void abandon();

 private:
  Segment(void* memory, std::size_t bytes, std::uint64_t slots,
          std::string path);
  // Returns nullptr on failure and sets `error` to the errno value.
  static std::unique_ptr<Segment> createFile(const std::string& path,
                                             std::uint64_t slots,
                                             std::size_t bytes, int& error);
  // Returns nullptr if memory is short.
  static std::unique_ptr<Segment> createPrivate(std::uint64_t slots,
                                                std::size_t bytes);
  SegmentHeader& header() const {
    return *static_cast<SegmentHeader*>(memory_);
  }

  void* memory_;
  std::size_t bytes_;
  void* ring_ = nullptr;
  std::uint64_t slots_;
  std::string path_;
  std::string note_;
  std::unique_ptr<RingGuard> guard_;
};

}  // namespace traced
