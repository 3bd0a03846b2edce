#include "ring_io/settings/options.h"

#include <algorithm>

#include "base/utf8.h"
#include "ring_io/settings/labels.h"
#include "ring_io/settings/setting_table.h"
#include "ring_io/settings/setting_values.h"

namespace traced {
namespace {

Error badValue(const std::string& name, std::string value,
               const std::string& expected) {
  constexpr std::size_t kMaxShown = 256;
  if (value.size() > kMaxShown) {
    value.resize(kMaxShown);
    value = toValidUtf8(value) + "...";
  }
  std::replace_if(value.begin(), value.end(), isControl, '?');
  return {name + "=" + value + " is not valid: expected " + expected + "."};
}

// Returns the launcher's name of the run, used if the user sets none.
std::optional<std::string> launcherJob(const Lookup& lookup) {
  auto elastic = lookup("TORCHELASTIC_RUN_ID");
  if (elastic && !elastic->empty() && *elastic != "none") return elastic;
  return lookup("SLURM_JOB_ID");
}

}  // namespace

std::string Options::triggerPath() const {
  if (trigger == kNoTrigger) return "";
  return trigger.empty() ? directory + "/" + job + "/flush" : trigger;
}

std::map<std::string, std::string> Options::asSettings() const {
  std::map<std::string, std::string> settings;
  for (const Setting& setting : settingTable()) {
    if (auto value = setting.format(*this)) settings[setting.name] = *value;
  }
  return settings;
}

Result<Options> parseOptions(const Lookup& lookup) {
  Options options;
  // A launcher's name that is no valid job name is ignored.
  if (const auto job = launcherJob(lookup); job && isJobName(*job)) {
    options.job = *job;
  }
  for (const Setting& setting : settingTable()) {
    const auto value = lookup(setting.name);
    if (!value || value->empty()) continue;
    if (std::any_of(value->begin(), value->end(), isControl)) {
      return badValue(setting.name, *value, "text without control characters");
    }
    if (const auto expected = setting.read(*value, options)) {
      return badValue(setting.name, *value, *expected);
    }
  }
  addPlatformLabels(options.labels, lookup);
  return options;
}

}  // namespace traced
