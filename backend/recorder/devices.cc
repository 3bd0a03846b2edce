#include "recorder/devices.h"

#include <algorithm>
#include <cstdlib>
#include <exception>

#include "base/log_message.h"
#include "recorder/recorder.h"
#include "recorder/resources/gpu_watch.h"

namespace traced {

// Records the results of one device. Called by that device's thread.
class Devices::Records : public DeviceSink {
 public:
  Records(Recorder& recorder, Shared& shared)
      : recorder_(recorder), shared_(shared) {}

  void ended(const DoneRecord& done) noexcept override { recorder_.done(done); }
  void stalled(const WaitRecord& wait) noexcept override {
    recorder_.waited(wait);
  }
  // Under the lock, so that a mark is never followed by one with a smaller
  // value.
  void clockError(std::int64_t ns) noexcept override {
    const std::lock_guard lock(shared_.mutex);
    if (ns <= shared_.error_ns) return;
    shared_.error_ns = ns;
    recorder_.mark(MarkKind::kDeviceClock, static_cast<std::uint64_t>(ns));
  }
  void untimed(std::uint64_t total, const char* why) noexcept override {
    const std::lock_guard lock(shared_.mutex);
    if (total <= shared_.untimed) return;
    shared_.untimed = total;
    recorder_.mark(MarkKind::kDeviceUntimed, total, why);
  }

 private:
  Recorder& recorder_;
  Shared& shared_;
};

DeviceTimes* Devices::start(int device,
                            std::unique_ptr<DeviceEvents> events) noexcept {
  if (!isIndex(device)) return nullptr;
  if (!events) {
    warnNoDeviceTimes("no CUDA runtime that is understood was loaded");
    return nullptr;
  }
  const std::lock_guard lock(starting_);
  if (DeviceTimes* running = find(device)) return running;
  if (stopped_) return nullptr;
  try {
    stopBeforeCudaEnds();
    if (resources_ns_ > 0) watchGpu(events->busId(), resources_ns_);
    auto* times = new DeviceTimes(std::move(events), mode_,
                                  std::make_unique<Records>(recorder_, shared_),
                                  untimed_, aborted_);
    startCopies(device, *times);
    times_[at(device)].store(times, std::memory_order_release);
    return times;
  } catch (const std::exception& e) {
    warnNoDeviceTimes(e.what());
    return nullptr;
  }
}

void Devices::startCopies(int device, DeviceTimes& times) noexcept {
  if (copied_bytes_ == 0) return;
  try {
    copies_[at(device)].store(new DeviceCopies(times, copied_bytes_),
                              std::memory_order_release);
  } catch (const std::exception& e) {
    logMessage({"tensors on devices are not examined: ", e.what()});
  }
}

// Exit handlers run in reverse order of registration. CUDA is in use by now and
// has registered its own, possibly after the recorder's. This one therefore
// runs before CUDA's, after which no thread may call CUDA.
void Devices::stopBeforeCudaEnds() {
  static const int registered = std::atexit([] {
    if (Recorder* recorder = Recorder::current()) {
      recorder->devices().stop(kExitTimeout);
    }
  });
  static_cast<void>(registered);
}

// Warns once, because the reason is the same for every group.
void Devices::warnNoDeviceTimes(const char* why) noexcept {
  if (mode_ == DeviceTimeMode::kOff || warned_none_.exchange(true)) return;
  logMessage({"no device times: ", why});
}

void Devices::stop(std::chrono::milliseconds timeout) noexcept {
  using std::chrono::milliseconds;
  using std::chrono::steady_clock;
  {
    const std::lock_guard lock(starting_);
    stopped_ = true;
  }
  const auto until = steady_clock::now() + timeout;
  const auto stopAll = [this](auto left) {
    for (const auto& copies : copies_) {
      if (DeviceCopies* running = copies.load()) running->stop(left());
    }
    for (const auto& times : times_) {
      if (DeviceTimes* running = times.load()) running->stop(left());
    }
  };
  // Signals all of them before waiting for any.
  stopAll([] { return milliseconds(0); });
  stopAll([until] {
    const auto left = until - steady_clock::now();
    return std::max(std::chrono::duration_cast<milliseconds>(left),
                    milliseconds(0));
  });
  for (const auto& copies : copies_) {
    if (DeviceCopies* running = copies.load()) running->abandon();
  }
}

}  // namespace traced
