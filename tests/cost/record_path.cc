// The record path, again and again, for tests/cost/check: callgrind counts the
// instructions inside recordOperation(), and with --evict the cache lines that
// it misses.
//
//   record_path OPERATIONS [--evict]

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "recorder/recorder.h"
#include "support/temp_dir.h"

namespace traced {
namespace {

std::vector<std::uint64_t> other_memory;

void evictCaches() {
  for (std::size_t i = 0; i < other_memory.size(); i += 8) ++other_memory[i];
}

// All records of an operation that its caller waits for at once.
[[gnu::noinline]] void recordOperation(Recorder& recorder,
                                       RecordedGroup& group) {
  const std::int64_t shape[] = {1024, 1024};
  CallDescription call(Operation::kAllReduce, group.id());
  call.fields().in_place = true;
  call.addInput(DType::kFloat32, shape, 4 << 20);
  BufferList buffers;
  buffers.add({0x7f0000000000, 0, 4 << 20});
  recorder.prepare();
  const OpId op =
      recorder.issue(group, call, buffers, group.nextCollective(), 0, nowNs());
  const std::int64_t return_ns = nowNs();
  WaitRecord wait{};
  wait.op = op;
  wait.begin_ns = nowNs();
  wait.wait_ns = static_cast<std::uint64_t>(nowNs() - wait.begin_ns);
  wait.saw_end = true;
  recorder.waited(wait, return_ns);
}

int run(int operations, bool evict) {
  const testing::TempDir directory;
  Options options;
  options.directory = directory.path();
  auto recorder = Recorder::start(options, {});
  if (!recorder) return 1;
  if (evict) other_memory.resize((16 << 20) / sizeof(std::uint64_t));
  {
    GroupInfo info;
    info.members = {0, 1};
    const auto group = (*recorder)->addGroup(std::move(info));
    // How many lines the stack takes depends on where in a line it begins, and
    // that on what the environment holds: from here it always begins alike.
    alignas(64) volatile char line_of_its_own[64];
    line_of_its_own[0] = 0;
    for (int i = 0; i < operations; ++i) {
      if (evict) evictCaches();
      recordOperation(**recorder, *group);
    }
  }
  Recorder::stopCurrent(std::chrono::seconds(60));
  return 0;
}

}  // namespace
}  // namespace traced

int main(int argc, char** argv) {
  const bool evict = argc == 3 && !std::strcmp(argv[2], "--evict");
  if (argc < 2 || (argc == 3 && !evict)) {
    std::fprintf(stderr, "usage: record_path OPERATIONS [--evict]\n");
    return 2;
  }
  return traced::run(std::atoi(argv[1]), evict);
}
