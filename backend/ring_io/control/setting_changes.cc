#include "ring_io/control/setting_changes.h"

#include "ring_io/settings/setting_table.h"

namespace traced {
namespace {

// A setting that a request can change. `name` is its name in the request.
struct Changeable {
  const char* name;
  const char* variable;
  void (*take)(const Options& from, SettingChanges& changes);
  bool (*isThere)(const SettingChanges& changes);
  void (*give)(const SettingChanges& changes, Options& to);
};

constexpr Changeable kChangeable[] = {
    {"enabled", "TRACED",
     [](const Options& from, SettingChanges& c) { c.enabled = from.enabled; },
     [](const SettingChanges& c) { return c.enabled.has_value(); },
     [](const SettingChanges& c, Options& to) {
       to.traced_is_set = true;
       to.enabled = *c.enabled;
     }},
    {"watch", "TRACED_WATCH",
     [](const Options& from, SettingChanges& c) { c.watch_ns = from.watch_ns; },
     [](const SettingChanges& c) { return c.watch_ns.has_value(); },
     [](const SettingChanges& c, Options& to) { to.watch_ns = *c.watch_ns; }},
    {"stacks", "TRACED_STACKS",
     [](const Options& from, SettingChanges& c) { c.stacks = from.stacks; },
     [](const SettingChanges& c) { return c.stacks.has_value(); },
     [](const SettingChanges& c, Options& to) { to.stacks = *c.stacks; }},
};

const Setting& settingOf(const Changeable& changeable) {
  const std::string variable = changeable.variable;
  for (const Setting& setting : settingTable()) {
    if (variable == setting.name) return setting;
  }
  return settingTable()
      .front();  // unreachable: each variable above is in the table
}

const Changeable* findChangeable(const std::string& name) {
  for (const Changeable& each : kChangeable) {
    if (name == each.name) return &each;
  }
  return nullptr;
}

Error notChangeable(const std::string& name) {
  std::string names;
  for (const Changeable& each : kChangeable) {
    names += (names.empty() ? "" : ", ") + std::string(each.name);
  }
  return {name + " cannot be changed while a job runs, only " + names};
}

}  // namespace

Result<SettingChanges> parseChanges(const NamedValues& values) {
  SettingChanges changes;
  for (const auto& [name, value] : values) {
    const Changeable* changeable = findChangeable(name);
    if (!changeable) return notChangeable(name);
    Options read;
    const auto refused =
        value.empty() ? "a value" : settingOf(*changeable).read(value, read);
    if (refused) {
      return Error{name + "=" + value + " is not valid: expected " + *refused};
    }
    changeable->take(read, changes);
  }
  return changes;
}

std::string textOf(const SettingChanges& changes) {
  std::string text;
  for (const Changeable& each : kChangeable) {
    if (!each.isThere(changes)) continue;
    Options options;
    each.give(changes, options);
    text += (text.empty() ? "" : ",") + std::string(each.name) + "=" +
            settingOf(each).format(options).value_or("");
  }
  return text;
}

}  // namespace traced
