#include "ring_io/ring/ring_guard.h"

#include <signal.h>

#include <cerrno>
#include <mutex>

#include "ring_io/ring/full_ring.h"
#include "ring_io/ring/ring.h"

namespace traced {

struct RingGuard::Guarded {
  std::atomic<char*> memory{nullptr};  // nullptr: free
  std::atomic<bool> lost{false};
  std::size_t bytes = 0;
  RingControl* control = nullptr;
  std::uint64_t slots = 0;
};

namespace {

// Rings guarded at one time in a process.
constexpr std::size_t kMaxGuarded = 64;

constinit RingGuard::Guarded guarded_rings[kMaxGuarded];
constinit std::atomic<bool> never_lost{false};
constinit std::mutex guards_mutex;
// The job's own action for SIGBUS.
struct sigaction jobs_action;

bool holdsAddress(const RingGuard::Guarded& ring, const void* address) {
  const char* const memory = ring.memory.load(std::memory_order_acquire);
  const auto* const at = static_cast<const char*>(address);
  return memory && at >= memory && at < memory + ring.bytes;
}

bool replaceMemory(RingGuard::Guarded& ring) {
  ring.lost.store(true);
  return replaceByFullRing(ring.memory.load(), ring.bytes, ring.control,
                           ring.slots);
}

// Passes on a signal that a process sent, as opposed to a fault.
void passOn(int number, siginfo_t* info, void* context) {
  if (jobs_action.sa_flags & SA_SIGINFO) {
    jobs_action.sa_sigaction(number, info, context);
  } else if (jobs_action.sa_handler == SIG_DFL) {
    sigaction(number, &jobs_action, nullptr);
    raise(number);
  } else if (jobs_action.sa_handler != SIG_IGN) {
    jobs_action.sa_handler(number);
  }
}

// Async-signal-safe.
void onBusError(int number, siginfo_t* info, void* context) {
  const int error = errno;
  const bool is_fault = info->si_code > 0;
  bool is_ours = false;
  for (RingGuard::Guarded& ring : guarded_rings) {
    if (is_fault && holdsAddress(ring, info->si_addr))
      is_ours = replaceMemory(ring);
  }
  if (!is_fault) {
    passOn(number, info, context);
  } else if (!is_ours) {
    // The faulting instruction repeats and reaches the job's own action.
    sigaction(number, &jobs_action, nullptr);
  }
  errno = error;
}

// Installs the handler only once. A handler installed later may chain to this
// one. Installing again would make the two call each other forever.
void installOnce() {
  static const bool installed = [] {
    struct sigaction ours = {};
    ours.sa_sigaction = &onBusError;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&ours.sa_mask);
    return sigaction(SIGBUS, nullptr, &jobs_action) == 0 &&
           sigaction(SIGBUS, &ours, nullptr) == 0;
  }();
  static_cast<void>(installed);
}

RingGuard::Guarded* guardMemory(void* memory, std::size_t bytes,
                                RingControl* control, std::uint64_t slots) {
  const std::lock_guard lock(guards_mutex);
  for (RingGuard::Guarded& ring : guarded_rings) {
    if (ring.memory.load(std::memory_order_relaxed)) continue;
    ring.bytes = bytes;
    ring.control = control;
    ring.slots = slots;
    ring.lost = false;
    ring.memory.store(static_cast<char*>(memory), std::memory_order_release);
    return &ring;
  }
  return nullptr;
}

}  // namespace

RingGuard::RingGuard(void* memory, std::size_t bytes, RingControl* control,
                     std::uint64_t slots)
    : guarded_(guardMemory(memory, bytes, control, slots)) {
  installOnce();
}

RingGuard::~RingGuard() {
  if (guarded_) guarded_->memory.store(nullptr, std::memory_order_release);
}

const std::atomic<bool>& RingGuard::isLost() const {
  return guarded_ ? guarded_->lost : never_lost;
}

}  // namespace traced
