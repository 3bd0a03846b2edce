#include "analysis/stream/standing_kind.h"

#include <algorithm>
#include <array>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace traced {
namespace {

// A frame in this part of a path, and in this function unless it is "".
struct CodeRule {
  StandingKind kind;
  const char* file;
  const char* function = "";
};

// The first rule that any frame meets decides.
constexpr CodeRule kCodeRules[] = {
    {StandingKind::kTeardown, "torch/distributed/", "destroy_process_group"},
    {StandingKind::kTeardown, "torch/distributed/", "abort_process_group"},
    {StandingKind::kTeardown, "threading.py", "_shutdown"},
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
      if (absl::StrContains(frame.file(), rule.file) &&
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
    {"nanosleep", StandingKind::kSleeps},
    {"clock_nanosleep", StandingKind::kSleeps},
    {"recvfrom", StandingKind::kOtherProcess},
    {"recvmsg", StandingKind::kOtherProcess},
    {"sendto", StandingKind::kOtherProcess},
    {"sendmsg", StandingKind::kOtherProcess},
    {"connect", StandingKind::kOtherProcess},
    {"accept", StandingKind::kOtherProcess},
    {"accept4", StandingKind::kOtherProcess},
    {"poll", StandingKind::kOtherProcess},
    {"ppoll", StandingKind::kOtherProcess},
    {"select", StandingKind::kOtherProcess},
    {"pselect6", StandingKind::kOtherProcess},
    {"epoll_wait", StandingKind::kOtherProcess},
    {"epoll_pwait", StandingKind::kOtherProcess},
    {"wait4", StandingKind::kOtherProcess},
    {"waitid", StandingKind::kOtherProcess},
    {"open", StandingKind::kFile},
    {"openat", StandingKind::kFile},
    {"fsync", StandingKind::kFile},
    {"fdatasync", StandingKind::kFile},
    {"msync", StandingKind::kFile},
};

// Calls such as "write" wait for a file if their target is a path.
StandingKind kindByCall(std::string_view waits_in) {
  const std::size_t space = waits_in.find(' ');
  const std::string_view call = waits_in.substr(0, space);
  for (const CallRule& rule : kCallRules) {
    if (call == rule.call) return rule.kind;
  }
  if (space == std::string_view::npos) return StandingKind::kUnknown;
  return waits_in.substr(space + 1, 1) == "/" ? StandingKind::kFile
                                              : StandingKind::kOtherProcess;
}

constexpr const char* kNames[] = {
    "unknown",       "stopped",    "garbage_collection",
    "gil",           "teardown",   "compiling",
    "data_loading",  "checkpoint", "file",
    "communication", "lock",       "sleeping",
    "other_process", "running",
};

bool isIn(const std::vector<v1::Frame>& frames, const char* file) {
  return !frames.empty() && absl::StrContains(frames.front().file(), file);
}

}  // namespace

const char* nameOf(StandingKind kind) {
  return kNames[static_cast<std::size_t>(kind)];
}

StandingKind kindOf(const ThreadSampleRow& sample,
                    const std::vector<v1::Frame>& frames,
                    std::string_view waits_in) {
  const auto has = [&sample](v1::InterpreterBit bit) {
    return (sample.interpreter & static_cast<std::uint32_t>(bit)) != 0;
  };
  const char state = static_cast<char>(sample.state);
  if (state == 'T' || state == 't') return StandingKind::kStopped;
  if (has(v1::INTERPRETER_BIT_COLLECTING) &&
      has(v1::INTERPRETER_BIT_HOLDS_LOCK)) {
    return StandingKind::kCollectsGarbage;
  }
  if (has(v1::INTERPRETER_BIT_WAITS_FOR_LOCK))
    return StandingKind::kWaitsForGil;
  if (const auto kind = kindByCode(frames)) return *kind;
  const StandingKind by_call = kindByCall(waits_in);
  if (isIn(frames, "torch/distributed/") && by_call != StandingKind::kSleeps) {
    return StandingKind::kCommunicates;
  }
  if (by_call != StandingKind::kUnknown) return by_call;
  if (state == 'D') return StandingKind::kFile;
  return state == 'R' ? StandingKind::kRuns : StandingKind::kUnknown;
}

}  // namespace traced
