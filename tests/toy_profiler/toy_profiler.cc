// A profiler plugin of NCCL's, of one version of its interface, that writes
// what it is told into the file TOY_PROFILER_LOG, with its own numbers for
// events. It wants to know of what TOY_PROFILER_WANTED says, a number.

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>

#include "nccl_profiler/interface.h"

namespace {

namespace nccl = traced::nccl;

// What it gives out as a handle; anything else that comes back ends the
// process.
struct Handle {
  static constexpr std::uint64_t kMark = 0x746f792068616e64;
  std::uint64_t mark = kMark;
  int number;
};

int numberOf(const void* handle) {
  if (!handle) return 0;
  const auto* own = static_cast<const Handle*>(handle);
  if (own->mark != Handle::kMark) std::abort();
  return own->number;
}

void* newHandle() {
  static std::atomic<int> count{0};
  return new Handle{.number = ++count};  // for ever: it may come as a parent
}

void log(const std::string& line) {
  const char* path = std::getenv("TOY_PROFILER_LOG");
  if (!path) return;
  const std::string text = std::to_string(getpid()) + " " + line + "\n";
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0 || write(file, text.data(), text.size()) < 0) std::abort();
  close(file);
}

nccl::Status begin(void** context, int* wanted, const char* name, int ranks) {
  const char* wish = std::getenv("TOY_PROFILER_WANTED");
  *wanted = wish ? std::atoi(wish) : 0;
  *context = newHandle();
  log("init " + std::string(name ? "named" : "") + " " + std::to_string(ranks));
  return nccl::kSuccess;
}

#if TOY_VERSION == 4
nccl::Status init(void** context, int* wanted, const char* name, std::uint64_t,
                  int, int ranks, int, nccl::Logger) {
  return begin(context, wanted, name, ranks);
}
#else
nccl::Status init(void** context, std::uint64_t, int* wanted, const char* name,
                  int, int ranks, int, nccl::Logger) {
  return begin(context, wanted, name, ranks);
}
#endif

nccl::Status start(void* context, void** handle, nccl::Event* event) {
  numberOf(context);
  *handle = newHandle();
  const std::uint64_t type =
      TOY_VERSION == 4 ? event->type & 0xff : event->type;
  std::string what;
  if (type == nccl::kCollective) {
    const auto& task = event->collective;
    what = std::string(task.function) + " " + task.algorithm;
#if TOY_VERSION > 4
    what += " group " + std::to_string(numberOf(task.group));
#endif
  } else if (type == nccl::kMessage) {
    what = event->message.function;
  } else if (type == nccl::kCollectiveCall) {
    what = event->collective_call.function;
  }
  log("start " + std::to_string(numberOf(*handle)) + " type " +
      std::to_string(type) + " of " + std::to_string(numberOf(event->parent)) +
      " " + what);
  return nccl::kSuccess;
}

nccl::Status stop(void* handle) {
  log("stop " + std::to_string(numberOf(handle)));
  return nccl::kSuccess;
}

nccl::Status record(void* handle, int state, void*) {
  log("record " + std::to_string(numberOf(handle)) + " " +
      std::to_string(state));
  return nccl::kSuccess;
}

nccl::Status finalize(void* context) {
  log("finalize " + std::to_string(numberOf(context)));
  return nccl::kSuccess;
}

}  // namespace

#define NAME_OF(version) ncclProfiler_v##version
#define NAME(version) NAME_OF(version)

extern "C" {

#if TOY_VERSION == 4
using Toy = nccl::Profiler4;
#else
using Toy = nccl::Profiler5;
#endif
__attribute__((visibility("default")))
Toy NAME(TOY_VERSION) = {"toy", init, start, stop, record, finalize};

}  // extern "C"
