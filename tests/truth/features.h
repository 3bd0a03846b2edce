// What programs may have, unless `--without` leaves it out.

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
  // A future's callback runs late, after the waiting thread went on.
  kLateStamps,
  // Broadcasts and reductions go along a tree or a ring.
  kRelays,
  // A send, or the root of a broadcast, waits for who receives.
  kLateSends,
  // Merges of parts are merged.
  kMergedMerges,
  // Files of an older run of the same name lie beside.
  kOlderRuns,
  // Clocks of hosts step.
  kClockSteps,
  // Runs of 300,000 operations, in which a rank is late once.
  kLongRuns,
  // Transfers are checked whose end only a wait showed.
  kEndsInWaits,
  // Waits and arrivals are checked of jobs on several hosts.
  kTimesOfHosts,
  // Answers are compared of jobs on several hosts, in a folder and merged.
  kMergedHosts,
  // Roots take long for what others send them.
  kBusyRoots,
  // Large messages go down a line of ranks, of which some run ahead.
  kHeldUp,
  // Operations whose end only a wait shows hang, several of one thread.
  kSeveralWaits,
  // A rank stands still before an operation that ended on the others.
  kSilence,
  // Call sites are recorded, and some ranks call from lines of their own.
  kCallSites,
  // Two threads of each rank call collectives.
  kThreads,
  // Interrupts and signals that are seen end what stands still.
  kCutOffs,
  // Several are late, and failures are caught.
  kMoreFaults,
  // Each rank makes only the groups that it is in, so that groups share names.
  kOwnGroups,
};
inline constexpr std::size_t kFeatureCount = 25;

using Features = std::bitset<kFeatureCount>;

inline constexpr std::array<const char*, kFeatureCount> kFeatures = {
    "messages",   "sub-groups",    "hosts",          "cuts",
    "merges",     "faults",        "late-stamps",    "relays",
    "late-sends", "merged-merges", "older-runs",     "clock-steps",
    "long-runs",  "ends-in-waits", "times-of-hosts", "merged-hosts",
    "busy-roots", "held-up",       "several-waits",  "silence",
    "call-sites", "threads",       "cut-offs",       "more-faults",
    "own-groups",
};

inline bool has(const Features& features, Feature feature) {
  return features.test(static_cast<std::size_t>(feature));
}

}  // namespace traced::truth
