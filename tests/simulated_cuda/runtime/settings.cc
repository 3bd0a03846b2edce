#include "runtime/settings.h"

#include <cstdlib>
#include <map>
#include <mutex>
#include <string>

namespace simulated {
namespace {

// Never destroyed: stream threads outlive the end of main.
std::mutex& mutex = *new std::mutex;
auto& known = *new std::map<std::string, double>;

}  // namespace

double setting(const char* name, double fallback) {
  const std::lock_guard lock(mutex);
  const auto [it, first] = known.try_emplace(name, fallback);
  if (first) {
    const char* text = std::getenv(name);
    if (text && *text) it->second = std::atof(text);
  }
  return it->second;
}

void setSetting(const char* name, double value) {
  const std::lock_guard lock(mutex);
  known[name] = value;
}

}  // namespace simulated

extern "C" {

void simulated_cuda_set(const char* name, double value) {
  simulated::setSetting(name, value);
}

double simulated_cuda_setting(const char* name, double fallback) {
  return simulated::setting(name, fallback);
}

}  // extern "C"
