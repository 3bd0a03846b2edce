// What the processes do that are killed.

#pragma once

#include <string>

#include "ring_io/settings/options.h"
#include "truth.h"

namespace traced::testing {

// A number in the environment.
std::uint64_t number(const char* variable, std::uint64_t otherwise);

// Where the ring and the trace of a process in `directory` are.
Options optionsIn(const std::string& directory);
std::string tracesIn(const std::string& directory);

// Records on several threads until the process is killed. Chunks are written as
// fast as they can be, so that many kills fall into a write. The threads wait
// for the writer, so that nothing is dropped; or they do not, and most is.
enum class Pace { kWithTheWriter, kAsFastAsCanBe };
[[noreturn]] void recordForEver(const Options& options, Truth& truth,
                                Pace pace = Pace::kWithTheWriter);

// Records `operations` on each of the threads and ends the stream in order.
void recordSome(const Options& options, Truth& truth, std::uint64_t operations);

// How many records the child has pushed when this returns: some.
void waitUntilItRecords(const Truth& truth);

// Brings back what was left in `directory` the way a user would: by `tracectl
// recover`, or by `tracectl merge`, which does it by itself. Returns the trace.
enum class By { kRecover, kMerge };
RecoveredTrace bringBack(const std::string& directory, By by);

// Segments that are still there.
std::size_t segmentsIn(const std::string& directory);

}  // namespace traced::testing
