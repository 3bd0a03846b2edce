#include "ring_io/ring/segment.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>

#include "ring_io/ring/full_ring.h"
#include "ring_io/ring/ring.h"
#include "ring_io/support/file_limit.h"
#include "ring_io/support/kill_point.h"

namespace traced {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::uint64_t kMinSlots = 4096;  // 256 KiB

std::size_t roundUp(std::size_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

// Returns how many slots to allocate. The directory is shared with other ranks,
// NCCL and data loaders, so a ring takes at most an eighth of the free space.
std::uint64_t slotsToTake(const std::string& directory, std::uint64_t slots) {
  struct statvfs space;
  if (statvfs(directory.c_str(), &space) != 0) return slots;
  const std::uint64_t share =
      std::uint64_t{space.f_bavail} * space.f_frsize / 8 / kSlotBytes;
  return std::min(slots, std::bit_floor(share));
}

std::string fileName(const std::string& directory, std::uint64_t stream_id) {
  char id[17];
  std::snprintf(id, sizeof id, "%016llx",
                static_cast<unsigned long long>(stream_id));
  return directory + "/traced." + std::to_string(geteuid()) + "." + id +
         ".ring";
}

// Takes a lock that others can query without taking it, and that lasts as long
// as the first lock. Returns 0 or an errno value.
int showThatOwned(int fd) {
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  return fcntl(fd, F_OFD_SETLK, &whole) == 0 ? 0 : errno;
}

bool mayFitWithLess(int error) {
  return error == ENOSPC || error == EDQUOT || error == EFBIG ||
         error == ENOMEM;
}

}  // namespace

Segment::Segment(void* memory, std::size_t bytes, std::uint64_t slots,
                 std::string path)
    : memory_(memory), bytes_(bytes), slots_(slots), path_(std::move(path)) {}

std::unique_ptr<Segment> Segment::createFile(const std::string& path,
                                             std::uint64_t slots,
                                             std::size_t bytes, int& error) {
  if (isBeyondFileLimit(bytes)) {
    error = EFBIG;
    return nullptr;
  }
  const int fd =
      open(path.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0) {
    error = errno;
    return nullptr;
  }
  TRACED_KILL_POINT("segment created");
  int failed = flock(fd, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
  if (failed == 0) failed = showThatOwned(fd);
  // Allocate every page now: a store into a hole of a full tmpfs raises SIGBUS.
  if (failed == 0) failed = posix_fallocate(fd, 0, static_cast<off_t>(bytes));
  void* memory = nullptr;
  if (failed == 0) {
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_POPULATE, fd, 0);
    if (memory == MAP_FAILED) failed = errno;
  }
  if (failed != 0) unlink(path.c_str());
  close(fd);
  if (failed != 0) {
    error = failed;
    return nullptr;
  }
  TRACED_KILL_POINT("segment locked");
  return std::unique_ptr<Segment>(new Segment(memory, bytes, slots, path));
}

std::unique_ptr<Segment> Segment::createPrivate(std::uint64_t slots,
                                                std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  return std::unique_ptr<Segment>(new Segment(memory, bytes, slots, ""));
}

std::unique_ptr<Segment> Segment::create(const std::string& directory,
                                         std::uint64_t stream_id,
                                         std::uint64_t slots,
                                         const std::string& info) {
  const std::size_t ring_offset = roundUp(sizeof(SegmentHeader) + info.size());
  const auto bytesFor = [&](std::uint64_t n) {
    return roundUp(ring_offset + Ring::bytesFor(n));
  };

  std::unique_ptr<Segment> segment;
  const std::string path = fileName(directory, stream_id);
  const std::uint64_t fewest = std::min(slots, kMinSlots);
  int error = 0;
  for (std::uint64_t fit = slotsToTake(directory, slots);
       !segment && fit >= fewest; fit /= 2) {
    segment = createFile(path, fit, bytesFor(fit), error);
    if (!segment && !mayFitWithLess(error)) break;
  }
  if (!segment) {
    segment = createPrivate(slots, bytesFor(slots));
    if (!segment) return nullptr;
    segment->note_ =
        "cannot create shared memory in " + directory + " (" +
        std::strerror(error != 0 ? error : ENOSPC) +
        "): records not yet in the file are lost if the process is killed";
  } else if (segment->slots_ != slots) {
    segment->note_ =
        "the ring has " + std::to_string(segment->slots_ * kSlotBytes / 1024) +
        " KiB instead of " + std::to_string(slots * kSlotBytes / 1024) + ": " +
        directory + " has little room";
    if (error != 0) {
      segment->note_ += std::string(" (") + std::strerror(error) + ")";
    }
  }

  auto* header = new (segment->memory_) SegmentHeader{};
  header->magic = SegmentHeader::kMagic;
  header->stream_id = stream_id;
  header->ring_offset = ring_offset;
  header->slots = segment->slots_;
  header->info_offset = sizeof(SegmentHeader);
  header->info_bytes = static_cast<std::uint32_t>(info.size());
  std::memcpy(static_cast<char*>(segment->memory_) + sizeof(SegmentHeader),
              info.data(), info.size());
  segment->ring_ = static_cast<char*>(segment->memory_) + ring_offset;
  segment->guard_ = std::make_unique<RingGuard>(
      segment->memory_, segment->bytes_,
      static_cast<RingControl*>(segment->ring_), segment->slots_);
  TRACED_KILL_POINT("segment described");
  return segment;
}

Segment::~Segment() {
  unlinkFile();
  munmap(memory_, bytes_);
}

void Segment::setTracePath(const std::string& path) {
  if (path.size() < sizeof header().trace_path) {
    std::memcpy(header().trace_path, path.c_str(), path.size() + 1);
  }
  header().named = 1;
}

bool Segment::unlinkFile() {
  if (path_.empty()) return true;
  if (unlink(path_.c_str()) != 0 && errno != ENOENT) return false;
  path_.clear();
  return true;
}

void Segment::abandon() {
  path_.clear();
  // The old mapping held the lock, and is gone after this call.
  replaceByFullRing(memory_, bytes_, static_cast<RingControl*>(ring_), slots_);
}

}  // namespace traced
