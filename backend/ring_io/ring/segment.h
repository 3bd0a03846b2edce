// Segment is the ring's memory: a preallocated file in shared memory, so that a
// process that is killed leaves its last records behind.
//
// The file is locked (flock) as long as its owner lives; a lock that can be
// taken means a dead owner, and gives who takes it the right to recover. A
// second lock (of the open file) is never taken by anybody else, so readers ask
// who has it, and stand in nobody's way. It is removed when its owner closes in
// order. No descriptor is kept: the mapping holds the lock, and a job that
// closes what it does not know can neither give it up nor have a file of its
// own closed by us.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "ring_io/ring/ring_guard.h"

namespace traced {

// The first page of a segment file, followed by `info` (the serialized Header
// of the stream) and, at ring_offset, by the ring.
struct SegmentHeader {
  static constexpr std::uint64_t kMagic = 0x35474E4952445254;  // "TRDRING5"
  std::uint64_t magic;
  std::uint64_t stream_id;
  std::uint64_t ring_offset;
  std::uint64_t slots;
  std::uint32_t info_offset;
  std::uint32_t info_bytes;
  // The rest is said: the process is done with making the segment.
  std::uint64_t named;
  // Part 0 of the trace that the records go to, absolute; NUL-terminated. Empty
  // when it is too long.
  char trace_path[3072];
};

class Segment {
 public:
  // Tries `directory` with `slots`, or fewer if these would take more than an
  // eighth of what is free there, then with ever fewer slots, then private
  // memory, which does not outlive the process. What it settled for is told by
  // slots() and note(). nullptr if there is no memory at all.
  static std::unique_ptr<Segment> create(const std::string& directory,
                                         std::uint64_t stream_id,
                                         std::uint64_t slots,
                                         const std::string& info);
  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  void* ringMemory() const { return ring_; }
  std::uint64_t slots() const { return slots_; }
  // "" or one sentence about what could not be had.
  const std::string& note() const { return note_; }
  // "" when the memory is private.
  const std::string& path() const { return path_; }
  // Whether the file was cut short from outside: the ring is then of no use,
  // and the memory is private. Nothing that was read from it before is wrong.
  const std::atomic<bool>& isLost() const { return guard_->isLost(); }

  // A path that does not fit is left out: the segment is then found by the
  // stream it is of.
  void setTracePath(const std::string& path);

  // Removes the file; the memory stays valid until destruction. False if it
  // cannot be removed; errno then says why.
  bool unlinkFile();
  // Gives up the file: in a forked child, so that the lock is the parent's
  // alone; or when it was removed. The ring in it is full from now on, and what
  // is still written to it goes nowhere.
  void abandon();

 private:
  Segment(void* memory, std::size_t bytes, std::uint64_t slots,
          std::string path);
  // nullptr if it cannot be had; `error` is then the number of the reason.
  static std::unique_ptr<Segment> createFile(const std::string& path,
                                             std::uint64_t slots,
                                             std::size_t bytes, int& error);
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
