#include "ring_io/settings/setting_table.h"

#include <limits.h>

#include <bit>

#include "ring_io/ring/ring.h"
#include "ring_io/settings/labels.h"
#include "ring_io/settings/setting_values.h"

namespace traced {
namespace {

using SettingText = std::optional<std::string>;
using Refused = std::optional<std::string>;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr const char* kPathFits = "a path of less than 4096 bytes";

// --- Settings that are 0 or 1, text, or one of several names

template <bool Options::*kSwitch>
Refused readSwitch(const std::string& value, Options& o) {
  const auto on = parseSwitch(value);
  if (!on) return kSwitchValues;
  o.*kSwitch = *on;
  return std::nullopt;
}

template <bool Options::*kSwitch>
constexpr Setting switchSetting(const char* name) {
  return {name, readSwitch<kSwitch>, [](const Options& o) -> SettingText {
            return o.*kSwitch ? "1" : "0";
          }};
}

template <std::string Options::*kText>
SettingText textOf(const Options& o) {
  return o.*kText;
}

// Sets the mode whose index is the index of `value` in `names`.
template <typename Mode, std::size_t kCount>
bool setMode(const std::string& value, const char* const (&names)[kCount],
             Mode& mode) {
  for (std::size_t i = 0; i < kCount; ++i) {
    if (value != names[i]) continue;
    mode = static_cast<Mode>(i);
    return true;
  }
  return false;
}

// Also accepts a switch for a mode whose first name is "off": on selects the
// second name.
template <typename Mode, std::size_t kCount>
bool setSwitchedMode(const std::string& value,
                     const char* const (&names)[kCount], Mode& mode) {
  if (setMode(value, names, mode)) return true;
  const auto on = parseSwitch(value);
  if (on) mode = static_cast<Mode>(*on ? 1 : 0);
  return on.has_value();
}

template <auto kMode, const auto& kNames>
SettingText modeText(const Options& o) {
  return kNames[static_cast<std::size_t>(o.*kMode)];
}

constexpr const char* kDeviceTimeModes[] = {"off", "end", "full"};
constexpr const char* kScopes[] = {"all", "crossnode", "none"};
constexpr const char* kPrintModes[] = {"0", "1", "leader", "all"};
constexpr const char* kStackModes[] = {"off", "site", "full"};
constexpr const char* kNvtxModes[] = {"0", "1", "json"};
constexpr const char* kSampledThreads[] = {"issuing", "all"};

// --- Readers of the other settings

Refused readDirectory(const std::string& value, Options& o) {
  if (value.size() >= PATH_MAX) return kPathFits;
  o.directory = value;
  return std::nullopt;
}

Refused readJob(const std::string& value, Options& o) {
  if (!isJobName(value)) return "a name of at most 128 bytes without a slash";
  o.job = value;
  return std::nullopt;
}

Refused readRing(const std::string& value, Options& o) {
  const auto mib = parseNumber(value);
  if (!mib || *mib < 1 || *mib > 1024) {
    return "a whole number of MiB from 1 to 1024";
  }
  o.ring_slots = std::bit_floor(*mib * kMiB / kSlotBytes);
  return std::nullopt;
}

Refused readRingDirectory(const std::string& value, Options& o) {
  if (value.size() >= PATH_MAX) return kPathFits;
  if (value.front() != '/') return "an absolute path";
  o.ring_directory = value;
  return std::nullopt;
}

Refused readMaxBytes(const std::string& value, Options& o) {
  const auto bytes = parseBytes(value);
  if (!bytes || (*bytes != 0 && *bytes < kMiB)) {
    return "a number of bytes of at least 1M, such as 512M or 20G, or 0 for no "
           "bound";
  }
  o.max_bytes = *bytes;
  return std::nullopt;
}

Refused readWindow(const std::string& value, Options& o) {
  const auto mib = parseNumber(value);
  if (!mib || *mib > 1024) {
    return "a whole number of MiB from 0 to 1024";
  }
  o.window_bytes = *mib * kMiB;
  return std::nullopt;
}

Refused readTrigger(const std::string& value, Options& o) {
  const bool none = parseSwitch(value) == false;
  o.trigger = none ? Options::kNoTrigger : value;
  return std::nullopt;
}

Refused readLabels(const std::string& value, Options& o) {
  const auto labels = parseLabels(value);
  if (!labels) {
    return "key=value pairs separated by commas, each key once, but " +
           labels.error().message;
  }
  o.labels = *labels;
  return std::nullopt;
}

Refused readNode(const std::string& value, Options& o) {
  if (value.size() > 128) return "a name of at most 128 bytes";
  o.node = value;
  return std::nullopt;
}

Refused readWatch(const std::string& value, Options& o) {
  const auto on = parseSwitch(value);
  const auto ns = on ? (*on ? kUsualWatchNs : 0) : parseSeconds(value);
  if (!ns) return "0, 1 or a time such as 480s or 0.5s";
  o.watch_ns = *ns;
  return std::nullopt;
}

Refused readResources(const std::string& value, Options& o) {
  constexpr std::int64_t kMinNs = 100'000'000;
  const auto on = parseSwitch(value);
  const auto ns = on ? (*on ? Options().resources_ns : 0) : parseSeconds(value);
  if (!ns || (*ns != 0 && *ns < kMinNs)) {
    return "0, 1 (every second) or a time of at least 0.1s";
  }
  o.resources_ns = *ns;
  return std::nullopt;
}

Refused readStandstill(const std::string& value, Options& o) {
  constexpr std::int64_t kMinNs = 1'000'000'000;
  const auto on = parseSwitch(value);
  const auto ns =
      on ? (*on ? Options().standstill_ns : 0) : parseSeconds(value);
  if (!ns || (*ns != 0 && *ns < kMinNs)) {
    return "0, 1 (after 5 s) or a time of at least 1s";
  }
  o.standstill_ns = *ns;
  return std::nullopt;
}

Refused readValues(const std::string& value, Options& o) {
  ValueOptions values = o.values;
  values.statistics = values.hashes = false;
  if (value == "stats" || value == "stats,hash" || value == "hash,stats") {
    values.statistics = true;
  }
  if (value == "hash" || value == "stats,hash" || value == "hash,stats") {
    values.hashes = true;
  }
  if (!values.any() && parseSwitch(value) != false) {
    return "off, stats, hash or stats,hash";
  }
  o.values = values;
  return std::nullopt;
}

// "leader", "done", or both: "leader,done".
Refused readPrint(const std::string& value, Options& o) {
  const std::size_t comma = value.find(',');
  const std::string when =
      comma == std::string::npos ? value : value.substr(comma + 1);
  const bool says_when = when == "done" || when == "issue";
  const std::string ranks = comma != std::string::npos ? value.substr(0, comma)
                            : says_when                ? "1"
                                                       : value;
  PrintOptions print;
  print.when_done = when == "done";
  if (!setSwitchedMode(ranks, kPrintModes, print.ranks) ||
      (comma != std::string::npos && !says_when)) {
    return "0, 1 (global rank 0), leader (of each operation) or all; also "
           "done, or all,done, for a line when the operation is over";
  }
  o.print = print;
  return std::nullopt;
}

SettingText printText(const Options& o) {
  const std::string ranks =
      kPrintModes[static_cast<std::size_t>(o.print.ranks)];
  return o.print.any() && o.print.when_done ? ranks + ",done" : ranks;
}

SettingText valuesText(const Options& o) {
  if (o.values.statistics && o.values.hashes) return "stats,hash";
  if (o.values.statistics) return "stats";
  return o.values.hashes ? "hash" : "off";
}

Refused readValuesEvery(const std::string& value, Options& o) {
  const auto every = parseNumber(value);
  if (!every || *every == 0) return "a whole number of at least 1";
  o.values.every = *every;
  return std::nullopt;
}

Refused readValuesMemory(const std::string& value, Options& o) {
  const auto mib = parseNumber(value);
  if (!mib || *mib > 65536) return "a whole number of MiB from 0 to 65536";
  o.values.copied_bytes = *mib * kMiB;
  return std::nullopt;
}

Refused readReplicas(const std::string& value, Options& o) {
  const auto every = parseSwitch(value) == false ? 0 : parseNumber(value);
  if (!every) return "a whole number of training steps, or 0";
  o.replicas_every = *every;
  return std::nullopt;
}

Refused readTraced(const std::string& value, Options& o) {
  o.traced_is_set = true;
  return readSwitch<&Options::enabled>(value, o);
}

std::string labelsText(const Options& o) {
  std::string text;
  for (const auto& [key, value] : o.labels) {
    text += (text.empty() ? "" : ",") + key + "=" + value;
  }
  return text;
}

// "Not set" is a third state: only groups with a `traced` backend are traced
// then.
SettingText tracedText(const Options& o) {
  if (!o.traced_is_set) return std::nullopt;
  return o.enabled ? "1" : "0";
}

constexpr Setting kSettings[] = {
    {"TRACED", readTraced, tracedText},
    {"TRACED_DIR", readDirectory, textOf<&Options::directory>},
    {"TRACED_JOB", readJob, textOf<&Options::job>},
    {"TRACED_RING_MB", readRing,
     [](const Options& o) -> SettingText {
       return std::to_string(o.ring_slots * kSlotBytes / kMiB);
     }},
    {"TRACED_RING_DIR", readRingDirectory, textOf<&Options::ring_directory>},
    {"TRACED_MAX_BYTES", readMaxBytes,
     [](const Options& o) -> SettingText {
       return std::to_string(o.max_bytes);
     }},
    {"TRACED_WINDOW_MB", readWindow,
     [](const Options& o) -> SettingText {
       return std::to_string(o.window_bytes / kMiB);
     }},
    {"TRACED_TRIGGER", readTrigger,
     [](const Options& o) -> SettingText {
       return o.trigger == Options::kNoTrigger ? Options::kNoTrigger
                                               : o.triggerPath();
     }},
    {"TRACED_LABELS", readLabels,
     [](const Options& o) -> SettingText { return labelsText(o); }},
    {"TRACED_SCOPE",
     [](const std::string& value, Options& o) -> Refused {
       if (setMode(value, kScopes, o.scope)) return std::nullopt;
       return "all, crossnode or none";
     },
     modeText<&Options::scope, kScopes>},
    {"TRACED_NODE", readNode, textOf<&Options::node>},
    {"TRACED_PRINT", readPrint, printText},
    {"TRACED_DEVICE_TIME",
     [](const std::string& value, Options& o) -> Refused {
       if (setSwitchedMode(value, kDeviceTimeModes, o.device_time)) {
         return std::nullopt;
       }
       return "off, end or full";
     },
     modeText<&Options::device_time, kDeviceTimeModes>},
    {"TRACED_STACKS",
     [](const std::string& value, Options& o) -> Refused {
       if (setSwitchedMode(value, kStackModes, o.stacks)) return std::nullopt;
       return "off, site or full";
     },
     modeText<&Options::stacks, kStackModes>},
    switchSetting<&Options::cpp_stacks>("TRACED_CPP_STACKS"),
    {"TRACED_WATCH", readWatch,
     [](const Options& o) -> SettingText {
       return o.watch_ns > 0 ? lengthText(o.watch_ns) : "0";
     }},
    {"TRACED_RESOURCES", readResources,
     [](const Options& o) -> SettingText {
       return o.resources_ns > 0 ? lengthText(o.resources_ns) : "0";
     }},
    {"TRACED_STANDSTILL", readStandstill,
     [](const Options& o) -> SettingText {
       return o.standstill_ns > 0 ? lengthText(o.standstill_ns) : "0";
     }},
    {"TRACED_STANDSTILL_THREADS",
     [](const std::string& value, Options& o) -> Refused {
       if (setMode(value, kSampledThreads, o.standstill_threads)) {
         return std::nullopt;
       }
       return "issuing or all";
     },
     modeText<&Options::standstill_threads, kSampledThreads>},
    {"TRACED_VALUES", readValues, valuesText},
    {"TRACED_VALUES_EVERY", readValuesEvery,
     [](const Options& o) -> SettingText {
       return std::to_string(o.values.every);
     }},
    {"TRACED_VALUES_MB", readValuesMemory,
     [](const Options& o) -> SettingText {
       return std::to_string(o.values.copied_bytes / kMiB);
     }},
    {"TRACED_REPLICAS", readReplicas,
     [](const Options& o) -> SettingText {
       return std::to_string(o.replicas_every);
     }},
    switchSetting<&Options::auto_step>("TRACED_AUTO_STEP"),
    {"TRACED_NVTX",
     [](const std::string& value, Options& o) -> Refused {
       if (setSwitchedMode(value, kNvtxModes, o.nvtx)) return std::nullopt;
       return "0, 1 or json";
     },
     modeText<&Options::nvtx, kNvtxModes>},
    switchSetting<&Options::profiler_ranges>("TRACED_PROFILER_RANGES"),
    switchSetting<&Options::nccl_profiler>("TRACED_NCCL_PROFILER"),
    switchSetting<&Options::modules>("TRACED_MODULES"),
    switchSetting<&Options::reasons>("TRACED_REASONS"),
    switchSetting<&Options::keeper>("TRACED_KEEPER"),
    switchSetting<&Options::announce>("TRACED_ANNOUNCE"),
};

}  // namespace

std::span<const Setting> settingTable() { return kSettings; }

}  // namespace traced
