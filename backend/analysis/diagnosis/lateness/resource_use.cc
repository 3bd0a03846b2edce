#include "analysis/diagnosis/lateness/resource_use.h"

#include <algorithm>

#include "analysis/diagnosis/lateness/sample_times.h"
#include "trace_io/plus_one.h"
#include "trace_io/wrapping.h"

namespace traced {
namespace {

// Sleep in system calls is for storage if at least as many bytes are read or
// written per second of it.
constexpr double kBytesPerSecond = 1 << 20;
// Samples that are much longer than the windows in them tell little.
constexpr std::int64_t kMostTimesLonger = 4;

std::int64_t fitting(std::uint64_t ns, std::int64_t most_ns) {
  return static_cast<std::int64_t>(
      std::min(ns, static_cast<std::uint64_t>(most_ns)));
}

bool covers(std::int64_t covered_ns, const CoveredWindows& windows) {
  return static_cast<double>(covered_ns) >=
         ResourceUse::kCovers * static_cast<double>(windows.allNs());
}

// The time of a cause within windows, and how much of them the samples cover
// that tell it.
class Sum {
 public:
  void add(const SampleTime& time, std::int64_t within_ns) {
    if (time.ns) {
      ns_ = wrappingSum(ns_, fitting(*time.ns, within_ns));
      covered_ns_ = wrappingSum(covered_ns_, within_ns);
    }
    const std::int64_t at_most_ns =
        time.at_most_ns ? fitting(*time.at_most_ns, within_ns) : within_ns;
    at_most_ns_ = wrappingSum(at_most_ns_, at_most_ns);
  }
  // `uncovered_ns`: the part of the windows without samples.
  CauseTime within(const CoveredWindows& windows,
                   std::int64_t uncovered_ns) const {
    return {covers(covered_ns_, windows) ? std::optional(ns_) : std::nullopt,
            wrappingSum(at_most_ns_, uncovered_ns)};
  }

 private:
  std::int64_t ns_ = 0;
  std::int64_t covered_ns_ = 0;
  std::int64_t at_most_ns_ = 0;
};

// Adds up the samples of a stream within windows.
class Adder {
 public:
  Adder(const CoveredWindows& windows, const StreamTable& table,
        const ClockCursor& clock)
      : windows_(windows), table_(table), clock_(clock) {}

  ResourceUse use() {
    addSamples();
    const std::int64_t uncovered_ns = std::max<std::int64_t>(
        wrappingDifference(windows_.allNs(), within_ns_), 0);
    ResourceUse use;
    for (std::size_t i = 0; i < kLateCauses; ++i) {
      use.times[i] = sums_[i].within(windows_, uncovered_ns);
    }
    use.is_known = covers(within_ns_, windows_) &&
                   within_ns_ >= intervals_ns_ / kMostTimesLonger;
    const auto slept_ns = use.of(LateCause::kKernel).ns.value_or(0);
    use.moves_bytes =
        bytes_ >= kBytesPerSecond * static_cast<double>(slept_ns) / 1e9;
    doubtUnused(use);
    return use;
  }

 private:
  void addSamples() {
    const TimeWindow span = windows_.span();
    const auto& samples = table_.resources;
    auto sample = std::partition_point(
        samples.begin(), samples.end(), [&](const ResourceRow& each) {
          return clock_.commonNs(each.sample_ns) <= span.begin_ns;
        });
    // A sample that overlaps the one before is damaged.
    std::int64_t after_ns = span.begin_ns;
    for (; sample != samples.end() && after_ns < span.end_ns; ++sample) {
      const std::int64_t began_ns = clock_.commonNs(wrappingDifference(
          sample->sample_ns, static_cast<std::int64_t>(sample->interval_ns)));
      const std::int64_t end_ns = clock_.commonNs(sample->sample_ns);
      if (end_ns <= after_ns) continue;
      const std::int64_t within_ns =
          windows_.within(std::max(began_ns, after_ns), end_ns);
      after_ns = end_ns;
      if (within_ns > 0) add(*sample, within_ns);
    }
  }

  void add(const ResourceRow& sample, std::int64_t within_ns) {
    for (std::size_t i = 0; i < kLateCauses; ++i) {
      sums_[i].add(timeOf(static_cast<LateCause>(i), sample), within_ns);
    }
    within_ns_ = wrappingSum(within_ns_, within_ns);
    intervals_ns_ = wrappingSum(intervals_ns_,
                                static_cast<std::int64_t>(sample.interval_ns));
    const auto read = lessOne(sample.read_bytes_plus_1);
    const auto written = lessOne(sample.written_bytes_plus_1);
    bytes_ += static_cast<double>(read.value_or(0)) +
              static_cast<double>(written.value_or(0));
    batches_ += sample.batches > 0;
  }

  // A rank without a DataLoader may load in another way, and a program that
  // clears gc.callbacks may collect unseen.
  void doubtUnused(ResourceUse& use) const {
    const auto doubt = [&](LateCause cause) {
      use.times[static_cast<std::size_t>(cause)].at_most_ns = windows_.allNs();
    };
    if (batches_ == 0) doubt(LateCause::kLoading);
    if (std::none_of(
            table_.resources.begin(), table_.resources.end(),
            [](const ResourceRow& each) { return each.collections > 0; })) {
      doubt(LateCause::kCollecting);
    }
  }

  const CoveredWindows& windows_;
  const StreamTable& table_;
  const ClockCursor& clock_;
  std::array<Sum, kLateCauses> sums_;
  std::int64_t within_ns_ = 0;
  std::int64_t intervals_ns_ = 0;
  double bytes_ = 0;
  std::uint64_t batches_ = 0;  // samples with requests
};

}  // namespace

ResourceUse useWithin(const CoveredWindows& windows, const StreamTable& table,
                      const ClockCursor& clock) {
  return Adder(windows, table, clock).use();
}

}  // namespace traced
