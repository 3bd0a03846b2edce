// What the calls of CUDA cost that device times are made of, one by one.
//
//   event_cost LIBCUDART      prints a JSON object: nanoseconds per call
//
// Needs no header of CUDA: the functions are found in the library.

#include <dlfcn.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int kCalls = 2000;
constexpr unsigned kTiming = 0, kNoTiming = 2, kNonBlocking = 1;

void* library = nullptr;
const char* separator = "{";

template <typename... Arguments>
int call(const char* name, Arguments... arguments) {
  using Function = int (*)(Arguments...);
  auto function = reinterpret_cast<Function>(dlsym(library, name));
  if (!function) {
    std::fprintf(stderr, "event_cost: no %s\n", name);
    std::exit(1);
  }
  return function(arguments...);
}

void check(int error, const char* what) {
  if (error == 0) return;
  std::fprintf(stderr, "event_cost: %s: error %d\n", what, error);
  std::exit(1);
}

// Per call, the least of some rounds: what the call takes undisturbed.
template <typename Act>
void print(const char* name, Act act) {
  double least_ns = 1e18;
  for (int round = 0; round < 7; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kCalls; ++i) act(i);
    const std::chrono::duration<double, std::nano> took =
        std::chrono::steady_clock::now() - begin;
    if (took.count() < least_ns) least_ns = took.count();
    call("cudaDeviceSynchronize");
  }
  std::printf("%s\"%s\": %.1f", separator, name, least_ns / kCalls);
  separator = ", ";
}

template <typename Function>
Function find(const char* name) {
  auto function = reinterpret_cast<Function>(dlsym(library, name));
  if (!function) std::exit(1);
  return function;
}

using Event = void*;
using Stream = void*;

Event makeEvent(unsigned flags) {
  Event event = nullptr;
  check(call("cudaEventCreateWithFlags", &event, flags), "create an event");
  return event;
}

std::atomic<bool> released{false};
void waitForRelease(void*) {
  while (!released) {
  }
}

}  // namespace

int main(int argc, char** argv) {
  library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : nullptr;
  if (!library) {
    std::fprintf(stderr, "usage: event_cost LIBCUDART\n");
    return 2;
  }
  check(call("cudaSetDevice", 0), "set the device");
  Stream stream = nullptr;
  check(call("cudaStreamCreateWithFlags", &stream, kNonBlocking), "a stream");
  std::vector<Event> timing(kCalls), plain(kCalls);
  for (Event& event : timing) event = makeEvent(kTiming);
  for (Event& event : plain) event = makeEvent(kNoTiming);

  auto record = find<int (*)(Event, Stream)>("cudaEventRecord");
  auto query = find<int (*)(Event)>("cudaEventQuery");
  auto elapsed = find<int (*)(float*, Event, Event)>("cudaEventElapsedTime");
  auto create = find<int (*)(Event*, unsigned)>("cudaEventCreateWithFlags");
  auto destroy = find<int (*)(Event)>("cudaEventDestroy");
  auto capturing = find<int (*)(Stream, int*)>("cudaStreamIsCapturing");

  print("record", [&](int i) { record(plain[i], stream); });
  print("record, with timing", [&](int i) { record(timing[i], stream); });
  print("record a pair, with timing", [&](int i) {
    record(timing[i], stream);
    record(timing[(i + 1) % kCalls], stream);
  });
  print("query, reached", [&](int i) { query(timing[i]); });
  print("elapsed", [&](int i) {
    float ms = 0;
    elapsed(&ms, timing[i], timing[kCalls - 1]);
  });
  print("create and destroy", [&](int) {
    Event event = nullptr;
    create(&event, kTiming);
    destroy(event);
  });
  print("is the stream captured", [&](int) {
    int status = 0;
    capturing(stream, &status);
  });
  // The stream waits for a function of the host while it is asked.
  check(call("cudaLaunchHostFunc", stream, &waitForRelease, (void*)nullptr),
        "a host function");
  check(record(timing[0], stream), "record");
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kCalls; ++i) query(timing[0]);
  const std::chrono::duration<double, std::nano> pending =
      std::chrono::steady_clock::now() - begin;
  released = true;
  check(call("cudaDeviceSynchronize"), "synchronize");
  std::printf(", \"query, pending\": %.1f}\n", pending.count() / kCalls);
  return 0;
}
