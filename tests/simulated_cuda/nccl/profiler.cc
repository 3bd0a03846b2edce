#include "nccl/profiler.h"

#include <dlfcn.h>
#include <strings.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>

#include "nccl/cuda.h"
#include "nccl_profiler/interface.h"

namespace simulated {
namespace {

namespace plugin = traced::nccl;

// The part that all plugin versions share.
using Functions = plugin::Profiler<void (*)()>;

const Functions* functions = nullptr;
int version = 0;
int wanted = 0;

constexpr int kGroupStartStop = 23, kGroupEndStart = 24;

// Per thread, as in NCCL.
struct ApiState {
  bool in_group = false;
  void* group = nullptr;
};
thread_local ApiState api;

void* openPlugin(const char* name) {
  if (!name) return dlopen("libnccl-profiler.so", RTLD_NOW | RTLD_LOCAL);
  if (strcasecmp(name, "none") == 0) return nullptr;
  void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library || std::strchr(name, '/')) return library;
  const std::string long_name = "libnccl-profiler-" + std::string(name) + ".so";
  return dlopen(long_name.c_str(), RTLD_NOW | RTLD_LOCAL);
}

void load() {
  void* library = openPlugin(std::getenv("NCCL_PROFILER_PLUGIN"));
  if (!library) return;
  constexpr const char* kNames[] = {plugin::kName4, plugin::kName5,
                                    plugin::kName6};
  version =
      static_cast<int>(simulated_cuda_setting("SIMULATED_NCCL_PROFILER", 6));
  for (; version >= 4; --version) {
    functions =
        static_cast<const Functions*>(dlsym(library, kNames[version - 4]));
    if (functions) return;
  }
}

bool isWanted(const Operation& operation, unsigned types) {
  return (static_cast<unsigned>(operation.wanted) & types) != 0;
}

// The requested events with which NCCL reports a plan.
constexpr unsigned kPlans =
    plugin::kGroup | plugin::kCollective | plugin::kMessage;
constexpr unsigned kGroups = plugin::kGroupCall | plugin::kCollectiveCall |
                             plugin::kMessageCall | kPlans;
constexpr unsigned kCollectives = plugin::kCollectiveCall | plugin::kCollective;
constexpr unsigned kMessages = plugin::kMessageCall | plugin::kMessage;

bool isMessage(const Operation& operation) {
  return operation.method.algorithm == nullptr;
}

void logNothing(int, unsigned long, const char*, int, const char*, ...) {}

}  // namespace

Profiled::Profiled(const std::string& name, int ranks, int rank) : rank_(rank) {
  static std::once_flag loaded;
  std::call_once(loaded, load);
  if (!functions) return;
  const std::uint64_t id = std::hash<std::string>{}(name);
  const auto init4 = reinterpret_cast<plugin::Init4>(functions->init);
  const auto init5 = reinterpret_cast<plugin::Init5>(functions->init);
  const plugin::Status status =
      version == 4 ? init4(&context_, &wanted, name.c_str(), id, 1, ranks, rank,
                           logNothing)
                   : init5(&context_, id, &wanted, name.c_str(), 1, ranks, rank,
                           logNothing);
  initialized_ = status == plugin::kSuccess;
}

Profiled::~Profiled() {
  if (initialized_ && context_) functions->finalize(context_);
}

void Profiled::call(Operation& operation, bool captured) const {
  if (!initialized_) return;
  operation.wanted = std::atomic_ref(wanted).load();
  if (version == 4) return;
  const bool message = isMessage(operation);
  if (!api.in_group && isWanted(operation, kGroups)) {
    plugin::Event group = {};
    group.type = plugin::kGroupCall;
    group.group_call = {captured, 1};
    functions->start(context_, &api.group, &group);
    api.in_group = true;
    if (api.group) functions->record(api.group, kGroupStartStop, nullptr);
  }
  if (isWanted(operation, message ? kMessages : kCollectives)) {
    plugin::Event event = {};
    event.type = message ? plugin::kMessageCall : plugin::kCollectiveCall;
    event.parent = api.group;
    const char* const function = operation.function + std::strlen("nccl");
    if (message) {
      event.message_call = {function, operation.bytes, "ncclInt8", nullptr,
                            captured};
    } else {
      event.collective_call = {function,       operation.bytes, "ncclInt8",
                               operation.peer, nullptr,         captured};
    }
    functions->start(context_, &operation.call, &event);
    if (operation.call) functions->stop(operation.call);
  }
}

void Profiled::launch(const std::vector<Operation>& operations) const {
  if (!initialized_ || !isWanted(operations.front(), kPlans)) return;
  if (simulated_cuda_setting("SIMULATED_NCCL_LAUNCH_ELSEWHERE", 0) == 0) {
    return reportLaunch(operations);
  }
  std::thread([&] { reportLaunch(operations); }).join();
}

void Profiled::reportLaunch(const std::vector<Operation>& operations) const {
  void* group = nullptr;
  plugin::Event plan = {};
  plan.type = plugin::kGroup;
  functions->start(context_, &group, &plan);
  std::vector<void*> handles;
  for (const Operation& operation : operations) {
    const auto type =
        isMessage(operation) ? plugin::kMessage : plugin::kCollective;
    if (!isWanted(operation, type)) continue;
    const Method& method = operation.method;
    const char* const function = operation.function + std::strlen("nccl");
    plugin::Event event = {};
    event.parent = version == 4 ? group : operation.call;
    event.rank = rank_;
    event.type = type;
    if (type == plugin::kMessage) {
      event.message = {
          function,       nullptr,         "ncclInt8", operation.bytes,
          operation.peer, method.channels, group};
    } else {
      event.collective = {0,
                          function,
                          operation.in,
                          nullptr,
                          operation.bytes,
                          operation.peer,
                          "ncclInt8",
                          method.channels,
                          1,
                          method.algorithm,
                          method.protocol,
                          group};
    }
    // Version 4 sets only the lowest byte of the type.
    if (version == 4) event.type |= 0xabcdef00;
    void* handle = nullptr;
    functions->start(context_, &handle, &event);
    if (handle) handles.push_back(handle);
  }
  for (void* handle : handles) functions->stop(handle);
  if (group) functions->stop(group);
}

void Profiled::groupEnds() {
  if (api.group) functions->record(api.group, kGroupEndStart, nullptr);
}

void Profiled::groupEnded() {
  if (api.group) functions->stop(api.group);
  api = {};
}

}  // namespace simulated
