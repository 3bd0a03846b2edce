// The part of NCCL's profiler interface that this plugin uses: versions 4 (NCCL
// 2.27), 5 (2.28) and 6 (2.29). The layouts match NCCL 2.30.7,
// src/include/plugin/profiler/profiler_v4.h, profiler_v5.h and profiler_v6.h.

#pragma once

#include <cstddef>
#include <cstdint>

namespace traced::nccl {

// ncclResult_t.
using Status = int;
inline constexpr Status kSuccess = 0;

// Each value is one bit of the activation mask, and also the type of an event.
enum EventType : unsigned {
  kGroup = 1U << 0,
  kCollective = 1U << 1,
  kMessage = 1U << 2,
  kProxyOp = 1U << 3,
  kProxyStep = 1U << 4,
  kKernelChannel = 1U << 6,
  kNetwork = 1U << 7,
  // Since version 5.
  kGroupCall = 1U << 8,
  kCollectiveCall = 1U << 9,
  kMessageCall = 1U << 10,
  kKernelLaunch = 1U << 11,
  // Since version 6: collectives by copy engines.
  kCopyCollective = 1U << 12,
  kCopySync = 1U << 13,
  kCopyBatch = 1U << 14,
};

struct GroupCall {
  bool captured;
  int depth;
};

struct CollectiveCall {
  const char* function;
  std::size_t count;
  const char* datatype;
  int root;
  void* stream;
  bool captured;
};

struct MessageCall {
  const char* function;
  std::size_t count;
  const char* datatype;
  void* stream;
  bool captured;
};

struct Collective {
  std::uint64_t number;
  const char* function;
  const void* in;
  void* out;
  std::size_t count;
  int root;
  const char* datatype;
  std::uint8_t channels;
  std::uint8_t warps;
  const char* algorithm;
  const char* protocol;
  // Since version 5.
  void* group;
};

struct Message {
  const char* function;
  void* buffer;
  const char* datatype;
  std::size_t count;
  int peer;
  std::uint8_t channels;
  // Since version 5.
  void* group;
};

// Describes a starting event. In version 4 the struct ends with that version's
// last field, and only the lowest byte of `type` is set.
struct Event {
  std::uint64_t type;
  void* parent;
  int rank;
  union {
    GroupCall group_call;
    CollectiveCall collective_call;
    MessageCall message_call;
    Collective collective;
    Message message;
  };
};

// These offsets match NCCL's headers.
static_assert(sizeof(Event) == 112 && offsetof(Event, collective) == 24);
static_assert(offsetof(Collective, channels) == 56 &&
              offsetof(Collective, algorithm) == 64 &&
              offsetof(Collective, protocol) == 72 &&
              offsetof(Collective, group) == 80);
static_assert(offsetof(Message, channels) == 36 &&
              offsetof(Message, group) == 40);
static_assert(offsetof(CollectiveCall, captured) == 40 &&
              offsetof(MessageCall, captured) == 32);

// ncclDebugLogger_t.
using Logger = void (*)(int level, unsigned long flags, const char* file,
                        int line, const char* format, ...);

// Versions 4, 5 and 6 differ only in the arguments of init(). A handle is the
// plugin's id of an event. A null handle means that the plugin wants no further
// callbacks for it.
template <typename Init>
struct Profiler {
  const char* name;
  Init init;
  Status (*start)(void* context, void** handle, Event* event);
  Status (*stop)(void* handle);
  Status (*record)(void* handle, int state, void* arguments);
  Status (*finalize)(void* context);
};

using Init4 = Status (*)(void** context, int* wanted, const char* name,
                         std::uint64_t communicator, int nodes, int ranks,
                         int rank, Logger logger);
using Init5 = Status (*)(void** context, std::uint64_t communicator,
                         int* wanted, const char* name, int nodes, int ranks,
                         int rank, Logger logger);

using Profiler4 = Profiler<Init4>;
using Profiler5 = Profiler<Init5>;

// The symbols that NCCL looks up.
inline constexpr char kName4[] = "ncclProfiler_v4";
inline constexpr char kName5[] = "ncclProfiler_v5";
inline constexpr char kName6[] = "ncclProfiler_v6";

}  // namespace traced::nccl
