#include "runtime/calls.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "runtime/captures.h"
#include "runtime/contexts.h"
#include "runtime/refusals.h"
#include "runtime/settings.h"
#include "runtime/streams.h"

namespace simulated {
namespace {

std::mutex& counts_mutex = *new std::mutex;
auto& counts = *new std::map<std::pair<std::string, const char*>, long>;
std::atomic<cudaError_t> device_error{cudaSuccess};
thread_local cudaError_t last_error = cudaSuccess;

}  // namespace

Call::Call(const char* function) : function_(function) {
  const std::lock_guard lock(counts_mutex);
  ++counts[{threadName(), function}];
  if (hasEnded() && setting("SIMULATED_CUDA_TELL_LATE", 0) > 0) {
    printRefusal(function, "CUDA has ended");
  }
}

void Call::needContext() const { makeContext(current_device, function_); }

cudaError_t Call::deviceError() const { return device_error; }

cudaError_t Call::forbiddenInCapture() const {
  if (!captureForbids()) return cudaSuccess;
  return refuse(cudaErrorStreamCaptureUnsupported,
                "while a stream is being captured");
}

cudaError_t Call::refuse(cudaError_t error, const char* why) const {
  printRefusal(function_, why);
  return remember(error);
}

cudaError_t remember(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

void breakDevice(cudaError_t error) { device_error = error; }
bool deviceIsBroken() { return device_error != cudaSuccess; }

void printRefusal(const char* function, const char* why) {
  const std::string line = std::string("simulated CUDA refused ") + function +
                           " in thread " + threadName() +
                           (gettid() == getpid() ? " (the first): " : ": ") +
                           why + "\n";
  std::fputs(line.c_str(), stderr);
  const char* path = std::getenv("SIMULATED_CUDA_REFUSALS");
  if (!path) return;
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0 || write(file, line.data(), line.size()) < 0) std::abort();
  close(file);
}

}  // namespace simulated

extern "C" {

cudaError_t cudaGetLastError() {
  return std::exchange(simulated::last_error, cudaSuccess);
}
cudaError_t cudaPeekAtLastError() { return simulated::last_error; }

const char* cudaGetErrorString(cudaError_t error) {
  static thread_local std::array<char, 64> text;
  std::snprintf(text.data(), text.size(), "simulated CUDA error %d", error);
  return error ? text.data() : "no error";
}
const char* cudaGetErrorName(cudaError_t error) {
  return cudaGetErrorString(error);
}

// Writes lines of thread, function and count, separated by tabs. Returns the
// size of the text.
size_t simulated_cuda_counts(char* out, size_t size) {
  const std::lock_guard lock(simulated::counts_mutex);
  std::string text;
  for (const auto& [key, count] : simulated::counts) {
    text += key.first + "\t" + key.second + "\t" + std::to_string(count) + "\n";
  }
  if (size) text.copy(out, size);
  return text.size();
}

void simulated_cuda_break_device(int error) {
  simulated::breakDevice(static_cast<cudaError_t>(error));
}

void simulated_cuda_refused(const char* function, const char* why) {
  simulated::printRefusal(function, why);
}

// Reports the call of a function that only has a generated stub.
int simulated_cuda_unsupported(const char* function) {
  std::fprintf(stderr, "simulated CUDA: there is no %s\n", function);
  return simulated::remember(cudaErrorNotSupported);
}

}  // extern "C"
