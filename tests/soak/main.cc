// Records for a long time, with rotation. Checks the memory and descriptors of
// the process, and compares the trace with the records that were made. Exits
// with 1 if a check fails.
//
//   recorder_soak [--seconds N] [--rate RECORDS_PER_S] [--threads N]
//                 [--max-bytes N] [--directory DIR]

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "recorder/recorder.h"
#include "soak/load.h"
#include "soak/usage.h"
#include "support/temp_dir.h"
#include "support/trace_file.h"

namespace traced::testing {
namespace {

namespace fs = std::filesystem;

// If the writer falls behind, a chunk holds the whole ring instead of a
// quarter, and the memory for its rows stays allocated. It takes 40 bytes for
// each of 65,536 slots, and as much again because vectors grow by doubling.
constexpr double kMaxGrowthKib = 8192;
// The growth of shorter runs, in seconds, is not judged.
constexpr double kLongEnough = 10;
// The part of the run after which the recorder's caches no longer grow.
constexpr double kWarmUpShare = 0.3;
constexpr int kSamples = 100;

struct Arguments {
  double seconds = 20;
  double rate = 600'000;
  int threads = 4;
  std::uint64_t max_bytes = 8 << 20;
  std::string directory;
};

Arguments parse(int count, char** words) {
  Arguments arguments;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string name = words[i];
    const std::string value = words[i + 1];
    if (name == "--seconds") arguments.seconds = std::stod(value);
    if (name == "--rate") arguments.rate = std::stod(value);
    if (name == "--threads") arguments.threads = std::stoi(value);
    if (name == "--max-bytes") arguments.max_bytes = std::stoull(value);
    if (name == "--directory") arguments.directory = value;
  }
  return arguments;
}

struct Stored {
  v1::Accounts accounts;  // from the last chunk
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
};

Stored readStored(const std::string& directory) {
  Stored stored;
  std::map<std::uint64_t, v1::Payload> chunks;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    if (!entry.is_regular_file()) continue;
    stored.bytes += entry.file_size();
    v1::Trace trace;
    trace.ParseFromString(readFile(entry.path()));
    for (const v1::Chunk& chunk : trace.chunk()) {
      const v1::Payload payload = decodePayload(chunk);
      stored.rows += rowCount(payload);
      const auto produced = payload.accounts().produced();
      if (produced >= stored.accounts.produced()) {
        stored.accounts = payload.accounts();
      }
    }
  }
  return stored;
}

int failures = 0;

void expect(bool holds, const std::string& what) {
  if (holds) return;
  std::printf("FAILED: %s\n", what.c_str());
  ++failures;
}

void checkAccounts(const Stored& stored, std::uint64_t made,
                   const Arguments& arguments) {
  const v1::Accounts& accounts = stored.accounts;
  std::uint64_t dropped = 0;
  for (const auto& drop : accounts.drop()) dropped += drop.records();
  const auto is = [](std::uint64_t a, const char* text, std::uint64_t b) {
    return std::to_string(a) + text + std::to_string(b);
  };
  expect(accounts.produced() == made,
         is(accounts.produced(), " produced, but made were ", made));
  expect(accounts.stored() + dropped == made,
         is(accounts.stored() + dropped, " stored or dropped of ", made));
  expect(accounts.stored() == stored.rows,
         is(accounts.stored(), " stored, but found were ", stored.rows));
  expect(stored.bytes <= arguments.max_bytes,
         is(stored.bytes, " bytes, more than ", arguments.max_bytes));
  expect(accounts.closed(), "the stream is not closed");
}

std::vector<Usage> watch(const Arguments& arguments) {
  std::vector<Usage> samples;
  const double step = arguments.seconds / kSamples;
  for (int i = 1; i <= kSamples; ++i) {
    usleep(static_cast<useconds_t>(step * 1e6));
    if (i > kSamples * kWarmUpShare) samples.push_back(readUsage(i * step));
  }
  return samples;
}

int soak(const Arguments& arguments, const std::string& directory) {
  Options options;
  options.resources_ns = 0;  // the check counts records
  options.directory = directory + "/traces";
  options.ring_directory = directory;
  options.max_bytes = arguments.max_bytes;
  const auto started = Recorder::start(options, {});
  if (!started) {
    std::printf("FAILED: %s\n", started.error().message.c_str());
    return 1;
  }
  const std::int64_t begin_ns = nowNs();
  auto* load = new Load(**started, arguments.threads, arguments.rate);
  const std::vector<Usage> samples = watch(arguments);
  const std::uint64_t made = load->stop();
  const double seconds = static_cast<double>(nowNs() - begin_ns) / 1e9;
  delete load;
  Recorder::stopCurrent(std::chrono::seconds(60));

  const Stored stored = readStored(directory + "/traces");
  checkAccounts(stored, made, arguments);
  const double growth = growthKib(samples);
  expect(growth <= kMaxGrowthKib || arguments.seconds < kLongEnough,
         "the memory grew");
  const auto [before, after] = fewestDescriptors(samples);
  expect(before == after, "descriptors are left open");
  std::uint64_t full = 0;
  for (const auto& drop : stored.accounts.drop()) {
    if (drop.reason() == v1::DROP_REASON_RING_FULL) full += drop.records();
  }
  std::printf(
      "%.0f s, %.2f M records/s, %llu dropped as the ring was full; memory "
      "%.1f MiB, grew by %.0f KiB; %d to %d descriptors; accounts %s\n",
      seconds, static_cast<double>(made) / seconds / 1e6,
      static_cast<unsigned long long>(full), samples.back().rss_kib / 1024,
      growth, before, after, failures == 0 ? "exact" : "see above");
  return failures != 0;
}

}  // namespace
}  // namespace traced::testing

int main(int count, char** words) {
  using namespace traced::testing;
  const Arguments arguments = parse(count, words);
  const TempDir temporary;
  return soak(arguments, arguments.directory.empty() ? temporary.path()
                                                     : arguments.directory);
}
