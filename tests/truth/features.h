// Optional features of random programs; `--without` disables one.

#pragma once

#include <array>
#include <bitset>
#include <cstddef>

namespace traced::truth {

enum class Feature : unsigned char {
  kMessages,
  kSubGroups,
  kHosts,
  kCuts,
  kMerges,
  kFaults,
  // A future's callback runs late, after the waiting thread continued.
  kLateStamps,
  // Broadcasts and reductions use a tree or a ring.
  kRelays,
  // A send, or the root of a broadcast, waits for its receivers.
  kLateSends,
  // Merged parts are merged again.
  kMergedMerges,
  // The folder also has files of an older run of the same name.
  kOlderRuns,
  // Host clocks step.
  kClockSteps,
  // Runs have 300,000 operations, and a rank is late once.
  kLongRuns,
  // Checks transfers whose end only a wait shows.
  kEndsInWaits,
  // Checks waits and ready times of jobs on several hosts.
  kTimesOfHosts,
  // Compares the answers for a folder and for the merged file, in jobs on
  // several hosts.
  kMergedHosts,
  // Roots take long for the data that others send.
  kBusyRoots,
  // Large messages pass along a line of ranks, some of which run ahead.
  kHeldUp,
  // Several operations of one thread hang whose end only a wait shows.
  kSeveralWaits,
  // A rank stops before an operation that ended on the others.
  kSilence,
  // Call sites are recorded, and some ranks call from lines of their own.
  kCallSites,
  // Two threads of each rank call collectives.
  kThreads,
  // Observed interrupts and signals end a hanging job.
  kCutOffs,
  // Several ranks are late, and failures are caught.
  kMoreFaults,
  // Each rank creates only the groups that it is in, so that groups share
  // names.
  kOwnGroups,
  // Ranks reduce gradients in backward, among all ranks or among some.
  kGradients,
  // The content of tensors is recorded, and some of it is wrong.
  kValues,
};
inline constexpr std::size_t kFeatureCount = 27;

using Features = std::bitset<kFeatureCount>;

inline constexpr std::array<const char*, kFeatureCount> kFeatures = {
    "messages",   "sub-groups",    "hosts",          "cuts",
    "merges",     "faults",        "late-stamps",    "relays",
    "late-sends", "merged-merges", "older-runs",     "clock-steps",
    "long-runs",  "ends-in-waits", "times-of-hosts", "merged-hosts",
    "busy-roots", "held-up",       "several-waits",  "silence",
    "call-sites", "threads",       "cut-offs",       "more-faults",
    "own-groups", "gradients",     "values",
};

inline bool has(const Features& features, Feature feature) {
  return features.test(static_cast<std::size_t>(feature));
}

}  // namespace traced::truth
