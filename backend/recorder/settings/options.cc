#include "recorder/settings/options.h"

#include <limits.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <initializer_list>

#include "base/utf8.h"
#include "recorder/ring/ring.h"
#include "recorder/settings/labels.h"

namespace traced {
namespace {

constexpr std::uint64_t kMiB = 1024 * 1024;
constexpr const char* kPathFits = "a path of less than 4096 bytes";
constexpr char kNoTrigger[] = "0";

bool isControl(char c) { return std::iscntrl(static_cast<unsigned char>(c)); }

Error badValue(const std::string& name, std::string value,
               const std::string& expected) {
  constexpr std::size_t kMostShown = 256;
  if (value.size() > kMostShown) {
    value.resize(kMostShown);
    value = toValidUtf8(value) + "...";
  }
  std::replace_if(value.begin(), value.end(), isControl, '?');
  return {name + "=" + value + " is not valid: expected " + expected + "."};
}

std::optional<std::uint64_t> parseNumber(const std::string& text) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return number;
}

// A number of bytes, with an optional suffix K, M, G or T (powers of 1024).
std::optional<std::uint64_t> parseBytes(std::string text) {
  int shift = 0;
  if (!text.empty()) {
    const std::size_t unit = std::string("KMGT").find(static_cast<char>(
        std::toupper(static_cast<unsigned char>(text.back()))));
    if (unit != std::string::npos) {
      shift = 10 * (static_cast<int>(unit) + 1);
      text.pop_back();
    }
  }
  const auto number = parseNumber(text);
  if (!number || *number > (UINT64_MAX >> shift)) return std::nullopt;
  return *number << shift;
}

constexpr const char* kSwitchValues = "0 or 1";

// Whether a value means on or off, in any case.
std::optional<bool> parseSwitch(std::string value) {
  std::transform(value.begin(), value.end(), value.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  const auto isOneOf = [&](std::initializer_list<const char*> words) {
    return std::find(words.begin(), words.end(), value) != words.end();
  };
  if (isOneOf({"1", "true", "yes", "on"})) return true;
  if (isOneOf({"0", "false", "no", "off"})) return false;
  return std::nullopt;
}

// Each parser sets its option, or returns what would have been right.
using Setter = std::optional<std::string> (*)(const std::string&, Options&);

std::optional<std::string> setDirectory(const std::string& value, Options& o) {
  if (value.size() >= PATH_MAX) return kPathFits;
  o.directory = value;
  return std::nullopt;
}

std::optional<std::string> setJob(const std::string& value, Options& o) {
  if (value.find('/') != std::string::npos || value == "." || value == ".." ||
      value.size() > 128 ||
      std::any_of(value.begin(), value.end(), isControl)) {
    return "a name of at most 128 bytes without a slash";
  }
  o.job = value;
  return std::nullopt;
}

std::optional<std::string> setRing(const std::string& value, Options& o) {
  const auto mib = parseNumber(value);
  if (!mib || *mib < 1 || *mib > 1024) {
    return "a whole number of MiB from 1 to 1024";
  }
  o.ring_slots = std::bit_floor(*mib * kMiB / kSlotBytes);
  return std::nullopt;
}

std::optional<std::string> setRingDirectory(const std::string& value,
                                            Options& o) {
  if (value.size() >= PATH_MAX) return kPathFits;
  if (value.front() != '/') return "an absolute path";
  o.ring_directory = value;
  return std::nullopt;
}

std::optional<std::string> setMaxBytes(const std::string& value, Options& o) {
  const auto bytes = parseBytes(value);
  if (!bytes || (*bytes != 0 && *bytes < kMiB)) {
    return "a number of bytes of at least 1M, such as 512M or 20G, or 0 for no "
           "bound";
  }
  o.max_bytes = *bytes;
  return std::nullopt;
}

std::optional<std::string> setWindow(const std::string& value, Options& o) {
  const auto mib = parseNumber(value);
  if (!mib || *mib > 1024) {
    return "a whole number of MiB from 0 to 1024";
  }
  o.window_bytes = *mib * kMiB;
  return std::nullopt;
}

std::optional<std::string> setTrigger(const std::string& value, Options& o) {
  const bool none = parseSwitch(value) == false;
  o.trigger = none ? kNoTrigger : value;
  return std::nullopt;
}

std::optional<std::string> setLabels(const std::string& value, Options& o) {
  const auto labels = parseLabels(value);
  if (!labels) {
    return "key=value pairs separated by commas, each key once, but " +
           labels.error().message;
  }
  o.labels = *labels;
  return std::nullopt;
}

// A number of seconds, such as 480 or 0.5; 0 switches watching off.
std::optional<std::string> setWatchSeconds(const std::string& value,
                                           Options& o) {
  constexpr double kMostSeconds = 1e9;
  double seconds = 0;
  const char* end = value.data() + value.size();
  const auto [rest, error] =
      std::from_chars(value.data(), end, seconds, std::chars_format::fixed);
  const bool is_number = error == std::errc{} && rest == end;
  if (!is_number || !(seconds >= 0 && seconds <= kMostSeconds)) {
    return "a number of seconds, or 0 for no watching";
  }
  o.watch_ns = static_cast<std::int64_t>(seconds * 1e9);
  return std::nullopt;
}

// Comes after the seconds, and wins.
std::optional<std::string> setWatch(const std::string& value, Options& o) {
  const auto on = parseSwitch(value);
  if (!on) return kSwitchValues;
  if (!*on) o.watch_ns = 0;
  if (*on && o.watch_ns == 0) o.watch_ns = kUsualWatchNs;
  return std::nullopt;
}

// Sets a mode by its place among the names.
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

// One whose first name is off may be told as a switch, too: on is its second.
template <typename Mode, std::size_t kCount>
bool setSwitchedMode(const std::string& value,
                     const char* const (&names)[kCount], Mode& mode) {
  if (setMode(value, names, mode)) return true;
  const auto on = parseSwitch(value);
  if (on) mode = static_cast<Mode>(*on ? 1 : 0);
  return on.has_value();
}

constexpr const char* kDeviceTimeModes[] = {"off", "end", "full"};

std::optional<std::string> setDeviceTime(const std::string& value, Options& o) {
  if (setSwitchedMode(value, kDeviceTimeModes, o.device_time))
    return std::nullopt;
  return "off, end or full";
}

constexpr const char* kScopes[] = {"all", "crossnode", "none"};

std::optional<std::string> setScope(const std::string& value, Options& o) {
  if (setMode(value, kScopes, o.scope)) return std::nullopt;
  return "all, crossnode or none";
}

std::optional<std::string> setNode(const std::string& value, Options& o) {
  if (value.size() > 128) return "a name of at most 128 bytes";
  o.node = value;
  return std::nullopt;
}

constexpr const char* kPrintModes[] = {"0", "1", "leader", "all"};

std::optional<std::string> setPrint(const std::string& value, Options& o) {
  if (setSwitchedMode(value, kPrintModes, o.print)) return std::nullopt;
  return "0, 1 (global rank 0), leader (of each operation) or all";
}

constexpr const char* kStackModes[] = {"off", "site", "full"};

std::optional<std::string> setStacks(const std::string& value, Options& o) {
  if (setSwitchedMode(value, kStackModes, o.stacks)) return std::nullopt;
  return "off, site or full";
}

constexpr const char* kSymbolizeModes[] = {"dladdr", "fast"};

std::optional<std::string> setSymbolize(const std::string& value, Options& o) {
  if (setMode(value, kSymbolizeModes, o.symbolize)) return std::nullopt;
  return "dladdr or fast";
}

template <bool Options::*kSwitch>
std::optional<std::string> setSwitch(const std::string& value, Options& o) {
  const auto on = parseSwitch(value);
  if (!on) return kSwitchValues;
  o.*kSwitch = *on;
  return std::nullopt;
}

std::optional<std::string> setTraced(const std::string& value, Options& o) {
  o.says_traced = true;
  return setSwitch<&Options::enabled>(value, o);
}

constexpr struct {
  const char* name;
  Setter set;
} kSettings[] = {
    {"TRACED", setTraced},
    {"TRACED_DIR", setDirectory},
    {"TRACED_JOB", setJob},
    {"TRACED_RING_MB", setRing},
    {"TRACED_RING_DIR", setRingDirectory},
    {"TRACED_MAX_BYTES", setMaxBytes},
    {"TRACED_WINDOW_MB", setWindow},
    {"TRACED_TRIGGER", setTrigger},
    {"TRACED_LABELS", setLabels},
    {"TRACED_SCOPE", setScope},
    {"TRACED_NODE", setNode},
    {"TRACED_PRINT", setPrint},
    {"TRACED_DEVICE_TIME", setDeviceTime},
    {"TRACED_STACKS", setStacks},
    {"TRACED_CPP_STACKS", setSwitch<&Options::cpp_stacks>},
    {"TRACED_SYMBOLIZE", setSymbolize},
    {"TRACED_WATCH_SECONDS", setWatchSeconds},
    {"TRACED_WATCH", setWatch},
    {"TRACED_AUTO_STEP", setSwitch<&Options::auto_step>},
    {"TRACED_NVTX", setSwitch<&Options::nvtx>},
    {"TRACED_PROFILER_RANGES", setSwitch<&Options::profiler_ranges>},
    {"TRACED_NCCL_PROFILER", setSwitch<&Options::nccl_profiler>},
    {"TRACED_MODULES", setSwitch<&Options::modules>},
    {"TRACED_KEEPER", setSwitch<&Options::keeper>},
    {"TRACED_ANNOUNCE", setSwitch<&Options::announce>},
};

// What the launcher calls the run, where the user does not say.
std::optional<std::string> launcherJob(const Lookup& lookup) {
  const auto elastic = lookup("TORCHELASTIC_RUN_ID");
  if (elastic && !elastic->empty() && *elastic != "none") return elastic;
  return lookup("SLURM_JOB_ID");
}

// "480", "0.5".
std::string secondsText(std::int64_t ns) {
  char text[64];
  const auto [end, error] =
      std::to_chars(std::begin(text), std::end(text),
                    static_cast<double>(ns) / 1e9, std::chars_format::fixed);
  return error == std::errc{} ? std::string(text, end) : "0";
}

}  // namespace

std::string Options::triggerPath() const {
  if (trigger == kNoTrigger) return "";
  return trigger.empty() ? directory + "/" + job + "/flush" : trigger;
}

std::map<std::string, std::string> Options::asSettings() const {
  std::string all_labels;
  for (const auto& [key, value] : labels) {
    all_labels += (all_labels.empty() ? "" : ",") + key + "=" + value;
  }
  std::map<std::string, std::string> settings = {
      {"TRACED_DIR", directory},
      {"TRACED_JOB", job},
      {"TRACED_RING_MB", std::to_string(ring_slots * kSlotBytes / kMiB)},
      {"TRACED_RING_DIR", ring_directory},
      {"TRACED_MAX_BYTES", std::to_string(max_bytes)},
      {"TRACED_WINDOW_MB", std::to_string(window_bytes / kMiB)},
      {"TRACED_TRIGGER", trigger == kNoTrigger ? kNoTrigger : triggerPath()},
      {"TRACED_LABELS", all_labels},
      {"TRACED_SCOPE", kScopes[static_cast<std::size_t>(scope)]},
      {"TRACED_NODE", node},
      {"TRACED_PRINT", kPrintModes[static_cast<std::size_t>(print)]},
      {"TRACED_DEVICE_TIME",
       kDeviceTimeModes[static_cast<std::size_t>(device_time)]},
      {"TRACED_STACKS", kStackModes[static_cast<std::size_t>(stacks)]},
      {"TRACED_CPP_STACKS", cpp_stacks ? "1" : "0"},
      {"TRACED_SYMBOLIZE",
       kSymbolizeModes[static_cast<std::size_t>(symbolize)]},
      {"TRACED_WATCH", watch_ns > 0 ? "1" : "0"},
      {"TRACED_WATCH_SECONDS", secondsText(watch_ns)},
      {"TRACED_AUTO_STEP", auto_step ? "1" : "0"},
      {"TRACED_NVTX", nvtx ? "1" : "0"},
      {"TRACED_PROFILER_RANGES", profiler_ranges ? "1" : "0"},
      {"TRACED_NCCL_PROFILER", nccl_profiler ? "1" : "0"},
      {"TRACED_MODULES", modules ? "1" : "0"},
      {"TRACED_KEEPER", keeper ? "1" : "0"},
      {"TRACED_ANNOUNCE", announce ? "1" : "0"},
  };
  // Not set is a value of its own: then only what says `traced` is traced.
  if (says_traced) settings["TRACED"] = enabled ? "1" : "0";
  return settings;
}

Result<Options> parseOptions(const Lookup& lookup) {
  Options options;
  // A launcher's name that is no valid job name is passed over.
  if (const auto job = launcherJob(lookup); job && !job->empty()) {
    setJob(*job, options);
  }
  for (const auto& setting : kSettings) {
    const auto value = lookup(setting.name);
    if (!value || value->empty()) continue;
    if (std::any_of(value->begin(), value->end(), isControl)) {
      return badValue(setting.name, *value, "text without control characters");
    }
    if (const auto expected = setting.set(*value, options)) {
      return badValue(setting.name, *value, *expected);
    }
  }
  addPlatformLabels(options.labels, lookup);
  return options;
}

}  // namespace traced
