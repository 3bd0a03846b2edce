// Tests that readers accept every chunk of any process, however it ends, with
// nothing missing. TRACED_TEST_SEED runs one seed. TRACED_TEST_TRACES is a
// folder that keeps the traces, for a reader in another language.

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <random>

#include "recorder/context/context.h"
#include "recorder/stacks/stack_source.h"
#include "recover_fixture.h"
#include "trace_io/byte_source.h"
#include "trace_io/chunk_decoder.h"
#include "trace_io/chunk_scanner.h"
#include "trace_io/payload_guard.h"

namespace traced::testing {
namespace {

constexpr int kSeeds = 12;
// This seed needs a second part for its definitions, and must report what was
// deleted for it.
constexpr std::uint64_t kSeedOfTwoParts = 80098;

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t below(std::uint64_t bound) { return engine_() % bound; }
  bool oneIn(std::uint64_t n) { return below(n) == 0; }
  // Returns a text of up to `most` bytes, of any bytes or of those of a path.
  std::string text(std::size_t most) {
    const bool any_bytes = oneIn(2);
    std::string text(below(most + 1), '/');
    for (char& c : text) {
      c = static_cast<char>(any_bytes ? below(256) : 'a' + below(4));
    }
    return text;
  }

 private:
  std::mt19937_64 engine_;
};

// Deep stacks that are nearly equal, like those of a framework, or unrelated.
class RandomStacks : public StackSource {
 public:
  RandomStacks(Chance& chance, std::uint64_t sites)
      : chance_(chance), sites_(sites) {
    const bool alike = chance.oneIn(2);
    for (std::uint64_t i = 0; i < 64; ++i) {
      v1::Frame frame;
      frame.set_function(alike ? "run_training_step_level_" + std::to_string(i)
                               : toValid(chance.text(128)));
      frame.set_file(alike ? std::string(200, 's') : toValid(chance.text(256)));
      frame.set_line(static_cast<std::uint32_t>(i + 1));
      path_.push_back(frame);
    }
  }
  std::uint64_t identity() noexcept override {
    return 1 + (site_ = chance_.below(sites_));
  }
  std::string describe() noexcept override {
    v1::NewStack new_stack;
    v1::Stack& stack = *new_stack.mutable_stack();
    for (const v1::Frame& frame : path_) *stack.add_frame() = frame;
    stack.mutable_frame(0)->set_line(static_cast<std::uint32_t>(1000 + site_));
    stack.set_site(1);
    return new_stack.SerializeAsString();
  }

 private:
  static std::string toValid(std::string text) {
    for (char& c : text) c = static_cast<char>(c & 0x7F);
    return text;
  }
  Chance& chance_;
  const std::uint64_t sites_;
  std::uint64_t site_ = 0;
  std::vector<v1::Frame> path_;
};

v1::Context randomContext(Chance& chance) {
  v1::Context context;
  for (std::uint64_t i = chance.below(20); i > 0; --i) {
    context.add_annotation(chance.text(300));
  }
  if (chance.oneIn(2)) context.set_module(chance.text(300));
  return context;
}

CallDescription randomCall(Chance& chance, std::uint32_t group) {
  CallDescription call(Operation::kAllToAllSingle, group);
  for (std::uint64_t i = chance.below(40); i > 0; --i) {
    std::vector<std::int64_t> shape(chance.below(6));
    for (auto& dim : shape) dim = static_cast<std::int64_t>(chance.below(1e12));
    call.addInput(DType::kFloat32, shape, chance.below(1e9));
  }
  std::vector<std::int64_t> splits(chance.below(60));
  for (auto& split : splits) split = static_cast<std::int64_t>(chance.below(9));
  call.addSplits(splits, splits);
  return call;
}

BufferList randomBuffers(Chance& chance) {
  BufferList buffers;
  for (std::uint64_t i = chance.below(20); i > 0; --i) {
    buffers.add({chance.below(1ull << 60), chance.below(1e6), chance.below(9)});
  }
  return buffers;
}

GroupInfo randomGroup(Chance& chance) {
  GroupInfo info = worldOfTwo();
  info.name = chance.text(chance.oneIn(10) ? 200'000 : 40);
  info.desc = chance.text(chance.oneIn(10) ? 200'000 : 40);
  for (std::uint64_t i = chance.below(3000); i > 0; --i) {
    info.members.push_back(static_cast<std::uint32_t>(2 + chance.below(99999)));
  }
  return info;
}

class ReadableChunksTest : public RecoverTest {
 protected:
  // Records random events up to `operations` issued operations, and flushes
  // before the ring would overflow. Returns false if it did.
  bool work(Chance& chance, Recorder& recorder, std::uint64_t operations) {
    RandomStacks stacks(chance, 1 + chance.below(2000));
    if (!chance.oneIn(4)) setStackSource(&stacks);
    const bool with_contexts = chance.oneIn(2);
    const bool all_alike = chance.oneIn(3);
    std::vector<std::unique_ptr<RecordedGroup>> groups;
    std::int64_t now_ns = nowNs();
    for (std::uint64_t seq = 1; seq <= operations; ++seq) {
      if (groups.empty() || chance.oneIn(2000)) {
        groups.push_back(recorder.addGroup(randomGroup(chance)));
      }
      RecordedGroup& group = *groups[chance.below(groups.size())];
      const std::uint64_t context =
          with_contexts ? enterContext(randomContext(chance)) : 0;
      const OpId op = recorder.issue(
          group,
          all_alike ? CallDescription(Operation::kBarrier, group.id())
                    : randomCall(chance, group.id()),
          all_alike ? BufferList() : randomBuffers(chance), seq, 0,
          now_ns +=
          all_alike ? 1000 : static_cast<std::int64_t>(chance.below(1e9)));
      if (context) leaveContext(context);
      if (op == kLostOp) return false;
      if (chance.oneIn(20)) {
        recorder.threw(op, now_ns, chance.text(600).c_str());
      } else {
        recorder.returned(op, now_ns + 10);
      }
      recorder.released(op, now_ns + 20);
      if (seq % 20 == 0 && chance.oneIn(3) && !flushed(recorder)) return false;
      if (seq % 150 == 0 && !flushed(recorder)) return false;
    }
    setStackSource(nullptr);
    return true;
  }
  bool flushed(Recorder& recorder) { return recorder.flush(kFlushLimit); }

  // Reads every chunk of every part, like a reader.
  RecoveredTrace readAll(bool is_killed) {
    ChunkDecoder decoder;
    std::uint64_t stored = 0, unpacked = 0, rows = 0;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(traces())) {
      if (!entry.is_regular_file()) continue;
      const std::string bytes = readFile(entry.path());
      MemorySource source(bytes);
      ChunkScanner scanner(source);
      while (const auto chunk = scanner.next()) {
        EXPECT_EQ(decoder.parse(chunk->body), DecodeStatus::kOk);
        EXPECT_EQ(decoder.decode(), DecodeStatus::kOk);
        // Definitions of deleted parts are repeated only as far as the
        // remaining bytes allow.
        const bool may_lack = is_killed && options_.max_bytes > 0;
        if (!may_lack) checkStacks(decoder.payload());
        stored += chunk->body.size();
        unpacked += decoder.chunk().payload_bytes();
        rows += rowCount(decoder.payload());
        EXPECT_LE(unpacked, kPayloadPerStoredByte * stored);
        EXPECT_LE(rows, kRowsPerStoredByte * stored);
      }
    }
    return readRecovered(traces());
  }

  static void checkStacks(const v1::Payload& payload) {
    std::set<std::uint64_t> frames;
    std::set<std::uint32_t> stacks, contexts;
    for (const auto& frame : payload.frame()) frames.insert(frame.id());
    for (const auto& context : payload.context()) contexts.insert(context.id());
    for (const auto& stack : payload.stack()) {
      stacks.insert(stack.id());
      EXPECT_EQ(stack.frame_size(), 0);
      for (const std::uint64_t id : stack.frame_id()) {
        EXPECT_TRUE(frames.contains(id)) << "frame " << id;
      }
    }
    for (const std::uint32_t id : payload.issued().stack()) {
      EXPECT_TRUE(id == 0 || stacks.contains(id)) << "stack " << id;
    }
    for (const std::uint32_t id : payload.issued().context()) {
      EXPECT_TRUE(id == 0 || contexts.contains(id)) << "context " << id;
    }
  }

  void keep(std::uint64_t seed) const {
    const char* const folder = std::getenv("TRACED_TEST_TRACES");
    if (!folder) return;
    std::filesystem::copy(traces(),
                          std::string(folder) + "/" + std::to_string(seed),
                          std::filesystem::copy_options::recursive);
  }

  // Ends the process normally or by SIGKILL. Its trace has everything except
  // what was deleted to stay within bounds.
  void check(std::uint64_t seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Chance chance(seed);
    const bool is_killed = chance.oneIn(2);
    const std::uint64_t operations = 200 + chance.below(3000);
    options_.ring_slots = 1 << 16;
    options_.window_bytes = 0;
    options_.standstill_ns = 0;  // the test counts records
    if (chance.oneIn(3)) options_.max_bytes = 1 << 20;
    const pid_t child = fork();
    if (child == 0) {
      const bool done = work(chance, start(), operations);
      if (is_killed && done) kill(getpid(), SIGKILL);
      Recorder::stopCurrent(kFlushLimit);
      std::_Exit(done ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(is_killed, WIFSIGNALED(status));
    EXPECT_TRUE(is_killed || WEXITSTATUS(status) == 0) << "the ring was full";
    for (const auto& segment : recover()) {
      EXPECT_EQ(segment.outcome, RecoverOutcome::kRecovered) << segment.why;
    }
    keep(seed);
    const RecoveredTrace trace = readAll(is_killed);
    ASSERT_FALSE(trace.payloads.empty());
    // Marks may have been deleted, too.
    EXPECT_GE(trace.accounts().produced(), 3 * operations + trace.marks);
    if (options_.max_bytes == 0) {
      EXPECT_EQ(trace.accounts().produced(), 3 * operations + trace.marks);
    }
    EXPECT_EQ(trace.rows, trace.accounts().stored());
    for (const v1::Drop& drop : trace.accounts().drop()) {
      EXPECT_EQ(drop.reason(), v1::DROP_REASON_RETENTION);
    }
    std::filesystem::remove_all(traces());
    options_ = {};
  }
};

TEST_F(ReadableChunksTest, AllChunksOfRandomProcessesAreReadable) {
  if (const char* const seed = std::getenv("TRACED_TEST_SEED")) {
    return check(std::strtoull(seed, nullptr, 10));
  }
  check(kSeedOfTwoParts);
  const auto first = static_cast<std::uint64_t>(nowNs()) / 1000 % 1'000'000'000;
  for (std::uint64_t seed = first; seed < first + kSeeds; ++seed) check(seed);
}

}  // namespace
}  // namespace traced::testing
