// Tests rings that are read while their process lives and writes to them.

#include "ring_io/recovery/live_rings.h"

#include <google/protobuf/stubs/logging.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <random>
#include <thread>

#include "recover_fixture.h"
#include "ring_io/chunks/encode_definitions.h"
#include "ring_io/recovery/ring_image.h"
#include "ring_io/recovery/segment_copy.h"
#include "ring_io/recovery/segment_file.h"
#include "ring_io/ring/ring.h"
#include "ring_io/ring/segment.h"
#include "ring_io/settings/process_info.h"
#include "support/filled_ring.h"
#include "support/write_file.h"
#include "trace_io/byte_source.h"
#include "trace_io/chunk_decoder.h"
#include "trace_io/chunk_scanner.h"

namespace traced::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLiveSlots = 64;
constexpr std::chrono::seconds kPollLimit{20};

// A ring, and the chunks that it holds beyond the files of its trace.
struct LiveRingsRead {
  RingReading ring;
  std::string chunks;
};

std::vector<v1::Payload> payloadsOf(const LiveRingsRead& ring) {
  return decodeTrace(ring.chunks);
}

WrittenChunks writtenIn(const std::string& path) {
  WrittenChunks written;
  auto source = FileSource::open(path);
  if (!source) return written;
  written.files = {path};
  ChunkScanner scanner(**source);
  ChunkDecoder decoder;
  while (const auto chunk = scanner.next()) {
    if (decoder.parse(chunk->body) != DecodeStatus::kOk) continue;
    written.chunks.push_back({0, chunk->body_offset, chunk->body.size(),
                              decoder.chunk().end_position()});
  }
  return written;
}

// Reads like a reader: the rings first, then the file.
std::vector<LiveRingsRead> pollIn(const std::string& directory,
                                  const std::string& traces,
                                  const std::string& file) {
  std::vector<LiveRingsRead> found;
  for (const RingFile& ring : findRings({directory})) {
    if (!namesOneOf(ring, {traces})) continue;
    auto reading = readRing(ring);
    if (!reading || !*reading) continue;
    Result<std::string> chunks = chunksBeyond(**reading, writtenIn(file));
    found.push_back({std::move(**reading), chunks ? *chunks : ""});
  }
  return found;
}

class LiveRingsTest : public RecoverTest {
 protected:
  std::vector<LiveRingsRead> poll() const {
    return pollIn(dir_.path(), traces(), traceFile());
  }
  // Repeats until the writer thread leaves unwritten records in the ring.
  LiveRingsRead pollUntilSome(Recorder& recorder, RecordedGroup& group) {
    const auto deadline = std::chrono::steady_clock::now() + kPollLimit;
    std::uint64_t seq = 100;
    do {
      issueCall(recorder, group, ++seq);
      std::vector<LiveRingsRead> rings = poll();
      if (rings.size() == 1 && !rings[0].chunks.empty()) {
        return std::move(rings[0]);
      }
    } while (std::chrono::steady_clock::now() < deadline);
    return {};
  }
};

TEST_F(LiveRingsTest, ReadsUnwrittenRecordsWithoutChangingAnything) {
  Recorder& recorder = start();
  auto group = recorder.addGroup(worldOfTwo());
  completeCall(recorder, *group, 1);
  recorder.flush(kFlushLimit);
  const LiveRingsRead ring = pollUntilSome(recorder, *group);
  ASSERT_FALSE(ring.chunks.empty());
  EXPECT_TRUE(ring.ring.alive);
  EXPECT_EQ(ring.ring.rank, 1U);
  EXPECT_EQ(ring.ring.pid, getpid());
  const std::vector<v1::Payload> payloads = payloadsOf(ring);
  ASSERT_FALSE(payloads.empty());
  const v1::Payload& last = payloads.back();
  EXPECT_GT(last.issued().op_delta_size(), 0) << "the call that is under way";
  EXPECT_EQ(last.returned().op_delta_size(), 0);
  EXPECT_FALSE(last.accounts().closed());
  EXPECT_FALSE(last.accounts().recovered()) << "its process lives";
  EXPECT_GE(last.anchor().monotonic_ns(),
            rowsOf<IssueRow>(last).back().issue_ns)
      << "that nothing else happened is said of the moment of the look";
  ASSERT_EQ(segments().size(), 1U);
  EXPECT_EQ(poll().size(), 1U) << "it can be looked into again";
  Recorder::stopCurrent(kFlushLimit);
  EXPECT_TRUE(poll().empty()) << "it ended in order";
}

TEST_F(LiveRingsTest, ReportsAKilledProcess) {
  killOne();
  const std::string before = readFile(traceFile());
  const std::vector<LiveRingsRead> rings = poll();
  ASSERT_EQ(rings.size(), 1U);
  EXPECT_FALSE(rings[0].ring.alive);
  const std::vector<v1::Payload> payloads = payloadsOf(rings[0]);
  ASSERT_EQ(payloads.size(), 1U);
  EXPECT_TRUE(payloads[0].accounts().recovered());
  EXPECT_EQ(payloads[0].issued().op_delta_size(), 2);
  EXPECT_EQ(payloads[0].returned().op_delta_size(), 1);
  EXPECT_EQ(readFile(traceFile()), before);
  ASSERT_EQ(recover().size(), 1U) << "it is still there";
}

TEST_F(LiveRingsTest, RingsOfOtherTracesAreLeftOut) {
  killOne();
  const std::string other = dir_.path() + "/other";
  EXPECT_TRUE(pollIn(dir_.path(), other, traceFile()).empty());
  EXPECT_TRUE(pollIn(other, traces(), traceFile()).empty());
  EXPECT_EQ(poll().size(), 1U);
}

TEST_F(LiveRingsTest, FileAndRingStayConsistentAsBothGrow) {
  Recorder& recorder = start();
  auto group = recorder.addGroup(worldOfTwo());
  completeCall(recorder, *group, 1);
  const auto rings = findRings({dir_.path()});
  ASSERT_EQ(rings.size(), 1U);
  const auto earlier = readRing(rings[0]);
  const WrittenChunks copy = writtenIn(traceFile());
  for (std::uint64_t seq = 2; seq < 5; ++seq) {
    completeCall(recorder, *group, seq);
    recorder.flush(kFlushLimit);
  }
  // The files were read later than the ring, so they contain more.
  ASSERT_TRUE(earlier && *earlier);
  const auto none = chunksBeyond(**earlier, writtenIn(traceFile()));
  ASSERT_TRUE(none) << none.error().message;
  EXPECT_EQ(*none, "");
  // The files are a copy of an earlier moment: the records in between are in
  // neither.
  const auto later = readRing(rings[0]);
  ASSERT_TRUE(later && *later);
  const auto gap = chunksBeyond(**later, copy);
  ASSERT_FALSE(gap);
  EXPECT_NE(gap.error().message.find("a copy of an earlier moment"),
            std::string::npos)
      << gap.error().message;
  Recorder::stopCurrent(kFlushLimit);
}

// A recovery holds the same lock as a process, and is none.
TEST_F(LiveRingsTest, ARecoveryDoesNotMakeADeadProcessSeemAlive) {
  killOne();
  const auto file = SegmentFile::open(segments().at(0));
  ASSERT_EQ(file->lock(), SegmentFile::Owner::kDead);
  const auto rings = poll();
  ASSERT_EQ(rings.size(), 1U);
  EXPECT_FALSE(rings[0].ring.alive);
  EXPECT_FALSE(rings[0].chunks.empty());
}

// Provides a segment of its own for tests to damage.
class HostileLiveRingsTest : public ::testing::Test {
 protected:
  HostileLiveRingsTest() { google::protobuf::SetLogHandler(nullptr); }

  std::unique_ptr<Segment> make(const HostInfo& host) const {
    const v1::Header header = makeHeader(Options{}, {}, host, 77);
    auto segment = Segment::create(dir_.path(), 77, kLiveSlots,
                                   header.SerializeAsString());
    segment->setTracePath(trace());
    writeFile(trace(), "");
    return segment;
  }
  std::string trace() const { return dir_.path() + "/rank-0.traced"; }

  // Reads the segment. This must not crash, produce an unreadable chunk, or
  // write anything.
  std::vector<LiveRingsRead> poll() const {
    std::vector<LiveRingsRead> rings = pollIn(dir_.path(), trace(), trace());
    for (const LiveRingsRead& ring : rings) {
      for (const v1::Payload& payload : payloadsOf(ring)) {
        EXPECT_TRUE(columnsAgree(payload));
      }
    }
    EXPECT_EQ(readFile(trace()), "");
    return rings;
  }

  TempDir dir_;
};

TEST_F(HostileLiveRingsTest, RingsOfAnotherBootAreLeftOut) {
  HostInfo host = readHostInfo();
  auto segment = make(host);
  Ring ring(segment->ringMemory(), segment->slots());
  fillRing(ring);
  EXPECT_EQ(poll().size(), 1U);
  segment.reset();
  for (const std::string& path : findSegments({dir_.path()})) fs::remove(path);
  host.boot_id = "another";
  segment = make(host);
  EXPECT_TRUE(poll().empty());
}

TEST_F(HostileLiveRingsTest, SurvivesArbitraryDamageOfTheSegment) {
  auto segment = make(readHostInfo());
  Ring ring(segment->ringMemory(), segment->slots());
  fillRing(ring);
  const std::string path = segment->path();
  const std::string sound = readFile(path);
  const auto seed = std::random_device{}();
  std::cout << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  for (int i = 0; i < 500 && !HasFailure(); ++i) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", try " + std::to_string(i));
    std::string damaged = sound;
    // Half of the time in the ring.
    const std::size_t begin =
        i % 2 == 0 ? damaged.size() - kLiveSlots * kSlotBytes : 0;
    for (auto n = 1 + random() % 20; n > 0; --n) {
      // Mostly values in the range of sizes and counts.
      const std::uint64_t value = random() >> (random() % 64);
      const std::size_t at = begin + random() % (damaged.size() - begin - 8);
      std::memcpy(damaged.data() + at, &value, random() % 8 + 1);
    }
    if (i % 16 == 0) damaged.resize(random() % damaged.size());
    writeFile(path, damaged);
    poll();
  }
  writeFile(path, sound);
  EXPECT_EQ(poll().size(), 1U);
}

// Derives each field from the operation, so that a torn record is detected.
IssueRecord issueOf(std::uint64_t n) {
  return {static_cast<std::int64_t>(n), n, n, 1, 0, 1};
}

// The sink refuses everything, so the trace lacks all of the ring's records and
// freed slots are read.
TEST_F(HostileLiveRingsTest, NoRecordIsTornWhileItsProcessWrites) {
  auto segment = make(readHostInfo());
  Ring ring(segment->ringMemory(), segment->slots());
  std::atomic<bool> done = false;
  std::thread process([&] {
    Ring::Record record;
    for (std::uint64_t n = 1; !done; ++n) {
      ring.push(RecordKind::kIssue, issueOf(n));
      while (ring.read(record)) continue;
      ring.release(n);
    }
  });
  std::uint64_t seen = 0;
  const auto deadline = std::chrono::steady_clock::now() + kPollLimit;
  for (int i = 0; i < 300 || seen == 0; ++i) {
    if (std::chrono::steady_clock::now() > deadline) break;
    for (const LiveRingsRead& live : poll()) {
      for (const v1::Payload& payload : payloadsOf(live)) {
        for (const IssueRow& row : rowsOf<IssueRow>(payload)) {
          ++seen;
          EXPECT_EQ(static_cast<std::uint64_t>(row.issue_ns), row.seq);
          EXPECT_EQ(row.batch, row.seq);
        }
      }
    }
  }
  done = true;
  process.join();
  EXPECT_GT(seen, 0U);
}

// Simulates a race that no test can time.
TEST_F(HostileLiveRingsTest, AReusedSlotIsNotRead) {
  auto segment = make(readHostInfo());
  Ring ring(segment->ringMemory(), segment->slots());
  ring.push(RecordKind::kIssue, issueOf(1));
  ring.push(RecordKind::kIssue, issueOf(2));
  const std::string first = readFile(segment->path());
  const auto content = parseSegment(first);
  ASSERT_TRUE(content) << content.error().message;
  using Positions = std::vector<std::uint64_t>;
  const auto positionsIn = [&](std::string_view bytes) {
    const RingImage image(bytes.substr(content->ring_offset), content->slots);
    RingImage::Cursor cursor;
    Ring::Record record;
    Positions positions;
    while (image.next(cursor, record)) positions.push_back(record.position);
    return positions;
  };
  const auto settledWith = [&](std::uint64_t head_after) {
    std::string second = first;
    settle(*content, first, second, head_after);
    return positionsIn(second);
  };
  EXPECT_EQ(settledWith(2), (Positions{0, 1}));
  EXPECT_EQ(settledWith(kLiveSlots), (Positions{0, 1})) << "the ring is full";
  EXPECT_EQ(settledWith(kLiveSlots + 1), Positions{1})
      << "the first slot was claimed again";
  EXPECT_EQ(settledWith(3 * kLiveSlots), Positions{});

  std::string claimed = first;
  const std::uint64_t head = kLiveSlots + 1;
  std::memcpy(&claimed[content->ring_offset + offsetof(RingControl, head)],
              &head, sizeof head);
  writeFile(segment->path(), claimed);
  const auto file = SegmentFile::open(segment->path());
  EXPECT_EQ(positionsIn(file->readLive().bytes()), Positions{1})
      << "also as it is read";
}

}  // namespace
}  // namespace traced::testing
