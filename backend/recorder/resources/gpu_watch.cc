#include "recorder/resources/gpu_watch.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/threads.h"
#include "recorder/resources/nvml.h"

namespace traced {
namespace {

// How long the exit of the process waits for a call of the driver.
constexpr std::chrono::milliseconds kExitTimeout{200};

class GpuWatch {
 public:
  GpuWatch(std::string pci_bus_id, std::int64_t interval_ns)
      : pci_bus_id_(std::move(pci_bus_id)), interval_ns_(interval_ns) {}

  void start() {
    const SignalsBlocked blocked;
    std::thread([this] { run(); }).detach();
  }

  std::optional<GpuState> take(std::int64_t now_ns) {
    if (getpid() != pid_) return std::nullopt;
    const std::lock_guard lock(mutex_);
    if (!looked_ns_ || now_ns - *looked_ns_ > 2 * interval_ns_) {
      return std::nullopt;
    }
    GpuState state = state_;
    state_.xid = 0;
    return state;
  }

  // Ends the thread, unless the driver blocks it. A forked child has no thread.
  void stop() {
    if (getpid() != pid_) return;
    std::unique_lock lock(mutex_);
    if (std::exchange(stopping_, true)) return;
    changed_.notify_all();
    changed_.wait_for(lock, kExitTimeout, [this] { return ended_; });
  }

 private:
  void run();
  void look(const Nvml& nvml, Nvml::Device device, Nvml::EventSet events);
  bool isStopping() {
    const std::lock_guard lock(mutex_);
    return stopping_;
  }
  // Waits for the next look. Returns false if the thread must end.
  bool pause() {
    std::unique_lock lock(mutex_);
    return !changed_.wait_for(lock, std::chrono::nanoseconds(interval_ns_),
                              [this] { return stopping_; });
  }

  const pid_t pid_ = getpid();
  const std::string pci_bus_id_;
  const std::int64_t interval_ns_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  bool ended_ = false;
  GpuState state_;
  std::optional<std::int64_t> looked_ns_;
};

// Never destroyed: the driver may block its thread forever.
std::atomic<GpuWatch*> watch_of_process{nullptr};

// Exit handlers run in reverse order, so this one runs before those that NVML
// has registered so far.
void stopBeforeNvmlEnds() {
  std::atexit([] { watch_of_process.load()->stop(); });
}

// Held during calls of NVML. A process must not fork then: NVML's locks would
// remain locked in the child, which may use NVML itself. A fork does not wait
// for a driver in trouble.
std::timed_mutex in_nvml;
thread_local bool fork_holds = false;

constexpr std::chrono::milliseconds kForkTimeout{50};

void forkBetweenCalls() {
  const auto release = [] {
    if (std::exchange(fork_holds, false)) in_nvml.unlock();
  };
  pthread_atfork([] { fork_holds = in_nvml.try_lock_for(kForkTimeout); },
                 release, release);
}

template <typename Value, typename Function, typename... Args>
std::optional<Value> ask(Function function, Args... args) {
  Value value{};
  const bool knows = function(args..., &value) == Nvml::kSuccess;
  return knows ? std::optional(value) : std::nullopt;
}

// Returns the number of the latest critical XID error. 0: none.
unsigned long long latestXid(const Nvml& nvml, Nvml::EventSet events) {
  constexpr int kMostEvents = 64;
  unsigned long long xid = 0;
  Nvml::EventData event{};
  for (int i = 0; events && i < kMostEvents; ++i) {
    if (nvml.awaitEvent(events, &event, 0) != Nvml::kSuccess) break;
    if (event.type == Nvml::kCriticalXid) xid = event.data;
  }
  return xid;
}

GpuState stateOf(const Nvml& nvml, Nvml::Device device, Nvml::EventSet events) {
  const std::lock_guard calling(in_nvml);
  GpuState state;
  state.sm_clock_mhz = ask<unsigned>(nvml.clock, device, Nvml::kSmClock);
  state.max_sm_clock_mhz = ask<unsigned>(nvml.maxClock, device, Nvml::kSmClock);
  state.memory_clock_mhz =
      ask<unsigned>(nvml.clock, device, Nvml::kMemoryClock);
  state.throttle_reasons =
      ask<unsigned long long>(nvml.throttleReasons, device);
  state.temperature =
      ask<unsigned>(nvml.temperature, device, Nvml::kGpuTemperature);
  state.ecc_errors = ask<unsigned long long>(
      nvml.eccErrors, device, Nvml::kUncorrected, Nvml::kSinceDriverLoad);
  state.xid = latestXid(nvml, events);
  return state;
}

void GpuWatch::look(const Nvml& nvml, Nvml::Device device,
                    Nvml::EventSet events) {
  GpuState state = stateOf(nvml, device, events);
  const std::int64_t now_ns = nowNs();
  const std::lock_guard lock(mutex_);
  if (state.xid == 0) state.xid = state_.xid;  // not taken yet
  state_ = state;
  looked_ns_ = now_ns;
}

// Finds the device, and an event set for its errors, or null.
std::optional<std::pair<Nvml::Device, Nvml::EventSet>> openGpu(
    const Nvml& nvml, const std::string& pci_bus_id) {
  const std::lock_guard calling(in_nvml);
  Nvml::Device device = nullptr;
  if (nvml.init() != Nvml::kSuccess ||
      nvml.deviceByBusId(pci_bus_id.c_str(), &device) != Nvml::kSuccess) {
    return std::nullopt;
  }
  Nvml::EventSet events = nullptr;
  if (nvml.createEventSet(&events) == Nvml::kSuccess) {
    nvml.registerEvents(device, Nvml::kCriticalXid, events);
  }
  return std::pair(device, events);
}

void GpuWatch::run() {
  beginThread("traced-gpu");
  if (const std::unique_ptr<const Nvml> nvml = Nvml::load()) {
    stopBeforeNvmlEnds();
    forkBetweenCalls();
    const auto opened = openGpu(*nvml, pci_bus_id_);
    stopBeforeNvmlEnds();  // NVML may have registered more
    for (bool goes_on = opened && !isStopping(); goes_on; goes_on = pause()) {
      look(*nvml, opened->first, opened->second);
    }
  }
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

}  // namespace

void watchGpu(const std::string& pci_bus_id,
              std::int64_t interval_ns) noexcept {
  try {
    auto watch = std::make_unique<GpuWatch>(pci_bus_id, interval_ns);
    GpuWatch* none = nullptr;
    if (!watch_of_process.compare_exchange_strong(none, watch.get())) return;
    watch.release()->start();
  } catch (const std::exception&) {  // no memory or thread: nothing is watched
  }
}

std::optional<GpuState> takeGpuState(std::int64_t now_ns) {
  GpuWatch* const watch = watch_of_process;
  return watch ? watch->take(now_ns) : std::nullopt;
}

}  // namespace traced
