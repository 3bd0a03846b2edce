#include "cli/serve/processor_pressure.h"

#include <fstream>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"

namespace traced {
namespace {

constexpr double kMostPercent = 50;

}  // namespace

// "some avg10=1.53 avg60=..."
bool isStarved() {
  std::ifstream file("/proc/pressure/cpu");
  std::string kind, average;
  file >> kind >> average;
  double percent = 0;
  return kind == "some" &&
         absl::SimpleAtod(std::string(absl::StripPrefix(average, "avg10=")),
                          &percent) &&
         percent > kMostPercent;
}

}  // namespace traced
