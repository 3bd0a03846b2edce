// The work of processes that will be killed.

#pragma once

#include <string>

#include "ring_io/settings/options.h"
#include "truth.h"

namespace traced::testing {

// Returns the number in an environment variable, or `otherwise` if it is not
// set.
std::uint64_t number(const char* variable, std::uint64_t otherwise);

// Returns options that put the ring into `directory`, and the trace into
// tracesIn().
Options optionsIn(const std::string& directory);
std::string tracesIn(const std::string& directory);

// kWithTheWriter: threads wait for the writer, so nothing is dropped.
// kAsFastAsCanBe: they do not, so most records are dropped.
enum class Pace { kWithTheWriter, kAsFastAsCanBe };
// Records on several threads until the process is killed. Flushes all the time,
// so that many kills hit a write.
[[noreturn]] void recordForEver(const Options& options, Truth& truth,
                                Pace pace = Pace::kWithTheWriter);

// Records `operations` on each of kThreads threads and closes the stream.
void recordSome(const Options& options, Truth& truth, std::uint64_t operations);

// Blocks until the child has pushed a record. Has no deadline.
void waitUntilItRecords(const Truth& truth);

// Recovers the records left in `directory` as a user would: with `tracectl
// recover`, or with `tracectl merge`, which recovers by itself. Returns the
// trace.
enum class By { kRecover, kMerge };
RecoveredTrace bringBack(const std::string& directory, By by);

// Returns the number of segments left in `directory`.
std::size_t segmentsIn(const std::string& directory);

}  // namespace traced::testing
