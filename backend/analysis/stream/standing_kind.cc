#include "analysis/stream/standing_kind.h"

#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "analysis/stream/context_text.h"

namespace traced {
namespace {

// A frame in a file whose path in its library starts with this, and in this
// function unless it is "".
struct CodeRule {
  StandingKind kind;
  const char* file;
  const char* function = "";
};

// The first rule that any frame meets decides.
constexpr CodeRule kCodeRules[] = {
    {StandingKind::kTeardown, "torch/distributed/", "destroy_process_group"},
    {StandingKind::kTeardown, "torch/distributed/", "_abort_process_group"},
    {StandingKind::kCompiles, "torch/_dynamo/convert_frame.py"},
    {StandingKind::kCompiles, "torch/_dynamo/output_graph.py"},
    {StandingKind::kCompiles, "torch/_inductor/async_compile.py"},
    {StandingKind::kCompiles, "torch/_inductor/graph.py"},
    {StandingKind::kCompiles, "torch/_inductor/scheduler.py"},
    {StandingKind::kCompiles, "torch/utils/cpp_extension.py"},
    {StandingKind::kCompiles, "triton/compiler/"},
    {StandingKind::kLoadsData, "torch/utils/data/"},
    {StandingKind::kLoadsData, "datasets/iterable_dataset.py"},
    {StandingKind::kLoadsData, "streaming/base/"},
    {StandingKind::kLoadsData, "webdataset/"},
    {StandingKind::kLoadsData, "nvidia/dali/"},
    {StandingKind::kCheckpoint, "torch/distributed/checkpoint/"},
    {StandingKind::kCheckpoint, "torch/serialization.py"},
    {StandingKind::kCheckpoint, "safetensors/"},
};

std::optional<StandingKind> kindByCode(const std::vector<v1::Frame>& frames) {
  for (const CodeRule& rule : kCodeRules) {
    for (const v1::Frame& frame : frames) {
      const absl::string_view function = rule.function;
      if (absl::StartsWith(libraryPath(frame.file()), rule.file) &&
          (function.empty() || frame.function() == function)) {
        return rule.kind;
      }
    }
  }
  return std::nullopt;
}

struct CallRule {
  const char* call;
  StandingKind kind;
};

constexpr CallRule kCallRules[] = {
    {"futex", StandingKind::kLock},
    {"flock", StandingKind::kLock},
    {"fcntl", StandingKind::kLock},
    {"nanosleep", StandingKind::kSleeps},
    {"clock_nanosleep", StandingKind::kSleeps},
    {"select timer", StandingKind::kSleeps},
    {"pselect6 timer", StandingKind::kSleeps},
    {"select", StandingKind::kEvent},
    {"pselect6", StandingKind::kEvent},
    {"poll", StandingKind::kEvent},
    {"ppoll", StandingKind::kEvent},
    {"epoll_wait", StandingKind::kEvent},
    {"epoll_pwait", StandingKind::kEvent},
    {"rt_sigtimedwait", StandingKind::kEvent},
    {"recvfrom", StandingKind::kEvent},
    {"recvmsg", StandingKind::kEvent},
    {"sendto", StandingKind::kEvent},
    {"sendmsg", StandingKind::kEvent},
    {"connect", StandingKind::kEvent},
    {"accept", StandingKind::kEvent},
    {"accept4", StandingKind::kEvent},
    {"wait4", StandingKind::kChildProcess},
    {"waitid", StandingKind::kChildProcess},
    {"open", StandingKind::kFile},
    {"openat", StandingKind::kFile},
    {"msync", StandingKind::kFile},
};

// Returns the kind of a call such as "read", by its target.
StandingKind kindByTarget(std::string_view target) {
  if (target.empty()) return StandingKind::kUnknown;
  if (target.starts_with("/dev/")) return StandingKind::kDevice;
  return target.front() == '/' ? StandingKind::kFile : StandingKind::kEvent;
}

StandingKind kindByCall(std::string_view waits_in) {
  const std::string_view call = callOf(waits_in);
  for (const CallRule& rule : kCallRules) {
    if (waits_in == rule.call || call == rule.call) return rule.kind;
  }
  return kindByTarget(
      waits_in.substr(std::min(waits_in.size(), call.size() + 1)));
}

constexpr const char* kNames[] = {
    "unknown",      "stopped",         "garbage_collection",
    "gil",          "teardown",        "compiling",
    "data_loading", "checkpoint",      "running",
    "sleeping",     "communication",   "lock",
    "event",        "child_process",   "file",
    "device",       "uninterruptible",
};

bool isInFinalizer(const std::vector<v1::Frame>& frames) {
  return std::any_of(frames.begin(), frames.end(), [](const v1::Frame& frame) {
    return absl::EndsWith(frame.function(), "__del__");
  });
}

bool isInTorchDistributed(const std::vector<v1::Frame>& frames) {
  return !frames.empty() &&
         absl::StartsWith(libraryPath(frames[0].file()), "torch/distributed/");
}

}  // namespace

const char* nameOf(StandingKind kind) {
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view callOf(std::string_view waits_in) {
  return waits_in.substr(0, waits_in.find(' '));
}

StandingKind kindOf(const ThreadSampleRow& sample,
                    const std::vector<v1::Frame>& frames,
                    std::string_view waits_in) {
  const auto has = [&sample](v1::InterpreterBit bit) {
    return (sample.interpreter & static_cast<std::uint32_t>(bit)) != 0;
  };
  const char state = static_cast<char>(sample.state);
  if (state == 'T' || state == 't') return StandingKind::kStopped;
  if (has(v1::INTERPRETER_BIT_COLLECTING) && isInFinalizer(frames)) {
    return StandingKind::kCollectsGarbage;
  }
  if (has(v1::INTERPRETER_BIT_WAITS_FOR_LOCK)) {
    return StandingKind::kWaitsForGil;
  }
  if (const auto kind = kindByCode(frames)) return *kind;
  if (state == 'R') return StandingKind::kRuns;
  const StandingKind by_call = kindByCall(waits_in);
  if (by_call == StandingKind::kSleeps) return by_call;
  if (isInTorchDistributed(frames)) return StandingKind::kCommunicates;
  if (by_call == StandingKind::kUnknown && state == 'D') {
    return StandingKind::kUninterruptible;
  }
  return by_call;
}

}  // namespace traced
