// Corrupts what a process receives from its sockets: what a broken network, or
// broken memory, does to a transfer.
//
// corrupt_reads(pattern, bytes) arms it: the next read from a socket that
// returns at least so many bytes is corrupted. corrupted_reads() returns how
// many were.

#include <dlfcn.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace {

enum Pattern : int {
  kNone,
  kOneBit,
  kSeveralBits,
  kPeriodic,
  kSwapped,
  kStale,
  kGarbage,
};

std::atomic<int> armed{kNone};
std::atomic<std::size_t> least_bytes{0};
std::atomic<int> corrupted{0};

constexpr std::size_t kPiece = 256;

void corrupt(int pattern, unsigned char* bytes, std::size_t count) {
  unsigned char* const middle = bytes + count / 2 / kPiece * kPiece;
  switch (pattern) {
    case kOneBit:
      middle[2] ^= 1;
      break;
    case kSeveralBits:
      for (int i : {0, 5, 130, 131}) middle[i] ^= 0x21;
      break;
    case kPeriodic:
      for (std::size_t i = 7; i < count; i += 512) bytes[i] ^= 0x10;
      break;
    case kSwapped:
      std::swap_ranges(bytes, bytes + kPiece, middle);
      break;
    case kStale:  // an older piece in place of a newer one
      std::memcpy(middle, bytes, kPiece);
      break;
    case kGarbage: {
      std::uint32_t state = 12345;
      for (std::size_t i = 0; i < kPiece; ++i) {
        state = state * 1664525 + 1013904223;
        middle[i] = static_cast<unsigned char>(state >> 24);
      }
      break;
    }
    default:
      break;
  }
}

void afterRead(void* memory, ssize_t count) {
  if (armed.load() == kNone || count <= 0) return;
  const auto bytes = static_cast<std::size_t>(count);
  if (bytes < least_bytes.load() || bytes < 2 * kPiece) return;
  const int pattern = armed.exchange(kNone);
  if (pattern == kNone) return;
  corrupt(pattern, static_cast<unsigned char*>(memory), bytes);
  ++corrupted;
}

bool isSocket(int fd) {
  const int error = errno;
  int type = 0;
  socklen_t length = sizeof type;
  const bool is = getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) == 0;
  errno = error;
  return is;
}

template <typename Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

void corrupt_reads(int pattern, std::size_t bytes) {
  least_bytes = bytes;
  armed = pattern;
}

int corrupted_reads() { return corrupted.load(); }

ssize_t read(int fd, void* memory, size_t size) {
  static const auto real = next<decltype(&read)>("read");
  const ssize_t count = real(fd, memory, size);
  if (armed.load() != kNone && isSocket(fd)) afterRead(memory, count);
  return count;
}

ssize_t recv(int fd, void* memory, size_t size, int flags) {
  static const auto real = next<decltype(&recv)>("recv");
  const ssize_t count = real(fd, memory, size, flags);
  afterRead(memory, count);
  return count;
}

// Corrupts the first piece of memory if that alone is large enough.
ssize_t readv(int fd, const iovec* pieces, int number) {
  static const auto real = next<decltype(&readv)>("readv");
  const ssize_t count = real(fd, pieces, number);
  if (armed.load() != kNone && number > 0 && isSocket(fd)) {
    afterRead(pieces[0].iov_base,
              std::min(count, static_cast<ssize_t>(pieces[0].iov_len)));
  }
  return count;
}

}  // extern "C"
