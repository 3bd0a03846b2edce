// Writes the first inputs of each fuzz target below a directory: the synthetic
// runs of the golden tests, and the segment of a synthetic process.

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "fuzz/parts.h"
#include "ring_io/chunks/encode_definitions.h"
#include "ring_io/ring/ring.h"
#include "ring_io/ring/segment.h"
#include "support/filled_ring.h"
#include "support/temp_dir.h"
#include "support/trace_file.h"
#include "support/write_file.h"
#include "unit/cli/diagnose/hung_run.h"
#include "unit/cli/example_run.h"
#include "unit/cli/serve/hosts/made_digest.h"
#include "unit/cli/stepped_run.h"

namespace {

namespace fs = std::filesystem;
using namespace traced;
using namespace traced::testing;

constexpr char kBudget[] =
    "schema = 1\n"
    "steps = \"10-49\"\n"
    "tolerance_percent = 1.5\n"
    "\n"
    "[[budget]]\n"
    "group = \"dp\"\n"
    "op = \"all_reduce\"\n"
    "dtype = \"bfloat16\"\n"
    "ranks = \"0-6/2,9\"\n"
    "per = \"step\"\n"
    "count = 12\n"
    "bytes = 25165824\n"
    "at_most = true\n"
    "\n"
    "[[budget]]\n"
    "op = \"send\"\n"
    "steps = \"all\"\n"
    "per = \"range\"\n"
    "count = 8\n";

std::vector<std::string> filesIn(const std::string& directory) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    if (entry.is_regular_file()) files.push_back(readFile(entry.path()));
  }
  return files;
}

void writeTraceSeeds(const std::string& corpus, const std::string& name,
                     const std::vector<std::string>& files) {
  std::string together, payloads;
  for (const std::string& file : files) {
    if (!together.empty()) together += kPartSeparator;
    together += file;
    for (const v1::Payload& payload : decodeTrace(file)) {
      if (!payloads.empty()) payloads += kPartSeparator;
      payloads += payload.SerializeAsString();
    }
  }
  writeFile(corpus + "/scan/" + name, files.front());
  writeFile(corpus + "/tracectl/" + name, together);
  writeFile(corpus + "/assemble/" + name, payloads);
  writeFile(corpus + "/diagnose/" + name, payloads);
}

std::string filledSegment(const std::string& directory) {
  constexpr std::uint64_t kSlots = 64;
  HostInfo host;
  host.boot_id = "b";
  const v1::Header header = makeHeader(Options{}, {}, host, 77);
  auto segment =
      Segment::create(directory, 77, kSlots, header.SerializeAsString());
  segment->setTracePath("/t/rank-0.traced");
  Ring ring(segment->ringMemory(), segment->slots());
  fillRing(ring);
  return readFile(segment->path());
}

std::string hostDigest() {
  v1::HostDigest digest;
  digest.set_version(1);
  digest.set_host("node7");
  v1::JobDigest& job = *digest.add_jobs();
  job = madeJob({2, 3}, 4);
  job.mutable_straggler()->set_rank(2);
  job.add_slow_peers()->add_ranks(3);
  v1::GroupDigest& group = *job.mutable_groups(0);
  group.add_waiting()->add_ranks(3);
  v1::Divergence& divergence = *group.mutable_divergence();
  divergence.add_parts()->set_signature(1);
  divergence.add_parts()->set_signature(2);
  group.mutable_order()->set_newest(128);
  for (int i = 0; i < 3; ++i) {
    group.mutable_order()->add_latest(1);
    group.mutable_order()->add_blocks(1);
    group.mutable_order()->add_spelled(1);
  }
  return digest.SerializeAsString();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s CORPUS\n", argv[0]);
    return 2;
  }
  const std::string corpus = argv[1];
  const TempDir dir;
  writeExampleRun(dir.path() + "/example");
  writeTraceSeeds(corpus, "example", filesIn(dir.path() + "/example"));
  SteppedRun stepped;
  stepped.switched_off = stepped.simulated = true;
  writeSteppedRun(dir.path() + "/stepped", stepped);
  writeTraceSeeds(corpus, "stepped", filesIn(dir.path() + "/stepped"));
  writeHungRun(dir.path() + "/hung");
  writeTraceSeeds(corpus, "hung", filesIn(dir.path() + "/hung"));
  const std::string segment = filledSegment(dir.path());
  writeFile(corpus + "/recover/segment", segment);
  writeFile(corpus + "/live_ring/segment", segment);
  writeFile(corpus + "/budget/example", kBudget);
  writeFile(corpus + "/host_digest/example", hostDigest());
}
