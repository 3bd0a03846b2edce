#include "soak/usage.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace traced::testing {
namespace {

double medianRss(std::vector<Usage> samples) {
  const auto middle =
      samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(
      samples.begin(), middle, samples.end(),
      [](const Usage& a, const Usage& b) { return a.rss_kib < b.rss_kib; });
  return middle->rss_kib;
}

}  // namespace

Usage readUsage(double seconds) {
  Usage usage{seconds, 0, 0};
  double total_pages = 0;
  std::ifstream("/proc/self/statm") >> total_pages >> usage.rss_kib;
  usage.rss_kib *= static_cast<double>(sysconf(_SC_PAGESIZE)) / 1024;
  for ([[maybe_unused]] const auto& entry :
       std::filesystem::directory_iterator("/proc/self/fd")) {
    ++usage.descriptors;
  }
  return usage;
}

double growthKib(const std::vector<Usage>& samples) {
  const auto quarter = static_cast<std::ptrdiff_t>(samples.size() / 4);
  return medianRss({samples.end() - quarter, samples.end()}) -
         medianRss({samples.begin(), samples.begin() + quarter});
}

std::pair<int, int> fewestDescriptors(const std::vector<Usage>& samples) {
  const auto fewer = [](const Usage& a, const Usage& b) {
    return a.descriptors < b.descriptors;
  };
  const auto half =
      samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  return {std::min_element(samples.begin(), half, fewer)->descriptors,
          std::min_element(half, samples.end(), fewer)->descriptors};
}

}  // namespace traced::testing
