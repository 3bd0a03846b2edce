#include "nccl_profiler/next_plugin.h"

#include <dlfcn.h>
#include <strings.h>

#include <cstdlib>

#include "nccl_profiler/recorder_link.h"

namespace traced::nccl {
namespace {

// Opens a library with NCCL's search rule: its path, or the suffix of
// "libnccl-profiler-NAME.so".
void* openLibrary(const std::string& name) {
  const bool is_static = strcasecmp(name.c_str(), "STATIC_PLUGIN") == 0;
  void* library =
      dlopen(is_static ? nullptr : name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library || name.find('/') != std::string::npos) return library;
  const std::string long_name = "libnccl-profiler-" + name + ".so";
  return dlopen(long_name.c_str(), RTLD_NOW | RTLD_LOCAL);
}

// Returns whether `library` is the one that contains this code, under any path.
// Loading it as the next plugin would recurse without end.
bool isThisLibrary(void* library) {
  Dl_info own;
  Dl_info other;
  const void* functions = dlsym(library, kName6);
  return functions && dladdr(functions, &other) != 0 &&
         dladdr(reinterpret_cast<const void*>(&isThisLibrary), &own) != 0 &&
         own.dli_fbase == other.dli_fbase;
}

// Selecting any of these also selects the events that contain them.
constexpr unsigned kBelowTasks =
    kProxyOp | kProxyStep | kKernelChannel | kNetwork;
constexpr unsigned kCopies = kCopyCollective | kCopySync | kCopyBatch;

// Returns the mask bits that make NCCL report an event of this type.
constexpr unsigned maskFor(unsigned type) {
  switch (type) {
    case kCollective:
      return kCollective | kBelowTasks;
    case kMessage:
      return kMessage | kBelowTasks;
    case kGroup:
      return kGroup | kCollective | kMessage | kBelowTasks;
    case kCollectiveCall:
      return kCollectiveCall | kCollective | kBelowTasks | kCopies;
    case kMessageCall:
      return kMessageCall | kMessage | kBelowTasks;
    case kGroupCall:
      return kGroupCall | kCollectiveCall | kMessageCall | kKernelLaunch |
             kGroup | kCollective | kMessage | kBelowTasks | kCopies;
    default:
      return type;
  }
}

}  // namespace

NextPlugin* NextPlugin::load(int version, std::string& problem) {
  const char* wanted = std::getenv(kNextPlugin);
  const bool is_wanted = wanted && *wanted;
  if (is_wanted && strcasecmp(wanted, "none") == 0) return nullptr;
  const std::string name = is_wanted ? wanted : "libnccl-profiler.so";
  void* library = openLibrary(name);
  if (!library) {
    const char* error = dlerror();
    if (is_wanted) problem = error ? error : name + " cannot be loaded";
    return nullptr;
  }
  if (isThisLibrary(library)) {
    if (is_wanted) {
      problem = name + " is traced's own (unset NCCL_PROFILER_PLUGIN)";
    }
    return nullptr;
  }
  constexpr const char* kNames[] = {kName4, kName5, kName6};
  for (int known = version; known >= 4; --known) {
    const void* functions = dlsym(library, kNames[known - 4]);
    if (!functions) continue;
    return new NextPlugin(static_cast<const Functions*>(functions), known);
  }
  problem = name + " has none of versions 4 to " + std::to_string(version) +
            " of NCCL's profiler interface";
  return nullptr;
}

Status NextPlugin::init(void** context, const Communicator& of) {
  if (version_ == 4) {
    const auto init = reinterpret_cast<Init4>(functions_->init);
    return init(context, &wanted_, of.name, of.id, of.nodes, of.ranks, of.rank,
                of.logger);
  }
  const auto init = reinterpret_cast<Init5>(functions_->init);
  return init(context, of.id, &wanted_, of.name, of.nodes, of.ranks, of.rank,
              of.logger);
}

bool NextPlugin::hasListener(unsigned type) {
  constexpr unsigned kFirstBeyond[] = {kGroupCall, kCopyCollective};
  if (version_ < 6 && type >= kFirstBeyond[version_ - 4]) return false;
  return (static_cast<unsigned>(wanted()) & maskFor(type)) != 0;
}

Status NextPlugin::start(void* context, void** handle, Event* event,
                         unsigned type) {
  *handle = nullptr;
  if (!hasListener(type)) return kSuccess;
  // Since version 5 the parent of a task is its API call. Version 4 plugins
  // expect the group.
  void* const parent = event->parent;
  if (version_ == 4 && type == kCollective) {
    event->parent = event->collective.group;
  } else if (version_ == 4 && type == kMessage) {
    event->parent = event->message.group;
  }
  const Status status = functions_->start(context, handle, event);
  event->parent = parent;
  return status;
}

}  // namespace traced::nccl
