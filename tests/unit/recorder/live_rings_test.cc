// Rings that are read while their process lives, and writes to them.

#include "recorder/live_rings.h"

#include <google/protobuf/stubs/logging.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <random>
#include <thread>

#include "recorder/header.h"
#include "recorder/live_copy.h"
#include "recorder/process_info.h"
#include "recorder/ring.h"
#include "recorder/ring_image.h"
#include "recorder/segment.h"
#include "recorder/segment_file.h"
#include "recover_fixture.h"
#include "support/filled_ring.h"
#include "support/write_file.h"

namespace traced::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLiveSlots = 64;
constexpr std::chrono::seconds kLookLimit{20};

std::vector<v1::Payload> payloadsOf(const LiveRing& ring) {
  return decodeTrace(ring.chunks);
}

class LiveRingsTest : public RecoverTest {
 protected:
  std::vector<LiveRing> look() const {
    return lookIntoRings({dir_.path()}, {traces()});
  }
  // Until the writer thread leaves something to be looked at.
  LiveRing lookUntilSome(Recorder& recorder, RecordedGroup& group) {
    const auto deadline = std::chrono::steady_clock::now() + kLookLimit;
    std::uint64_t seq = 100;
    do {
      issueCall(recorder, group, ++seq);
      const std::vector<LiveRing> rings = look();
      if (rings.size() == 1 && !rings[0].chunks.empty()) return rings[0];
    } while (std::chrono::steady_clock::now() < deadline);
    return {};
  }
};

TEST_F(LiveRingsTest, WhatTheTraceLacksIsSeenAndNothingIsTouched) {
  Recorder& recorder = start();
  auto group = recorder.addGroup(worldOfTwo());
  completeCall(recorder, *group, 1);
  recorder.flush(kFlushLimit);
  const LiveRing ring = lookUntilSome(recorder, *group);
  ASSERT_FALSE(ring.chunks.empty());
  EXPECT_TRUE(ring.alive);
  EXPECT_EQ(ring.rank, 1U);
  EXPECT_EQ(ring.pid, getpid());
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
  EXPECT_EQ(look().size(), 1U) << "it can be looked into again";
  Recorder::stopCurrent(kFlushLimit);
  EXPECT_TRUE(look().empty()) << "it ended in order";
}

TEST_F(LiveRingsTest, OfAKilledProcessItSaysSo) {
  killOne();
  const std::string before = readFile(traceFile());
  const std::vector<LiveRing> rings = look();
  ASSERT_EQ(rings.size(), 1U);
  EXPECT_FALSE(rings[0].alive);
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
  EXPECT_TRUE(lookIntoRings({dir_.path()}, {dir_.path() + "/other"}).empty());
  EXPECT_TRUE(lookIntoRings({dir_.path() + "/other"}, {traces()}).empty());
  EXPECT_EQ(look().size(), 1U);
}

// A segment of its own, which tests damage.
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

  // Looks into the segment, which must neither crash nor make an unreadable
  // chunk, nor write anything.
  std::vector<LiveRing> look() const {
    std::vector<LiveRing> rings = lookIntoRings({dir_.path()}, {trace()});
    for (const LiveRing& ring : rings) {
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
  EXPECT_EQ(look().size(), 1U);
  segment.reset();
  for (const std::string& path : findSegments({dir_.path()})) fs::remove(path);
  host.boot_id = "another";
  segment = make(host);
  EXPECT_TRUE(look().empty());
}

TEST_F(HostileLiveRingsTest, AnythingInTheSegmentIsSurvived) {
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
      // Mostly numbers that sizes and counts could be.
      const std::uint64_t value = random() >> (random() % 64);
      const std::size_t at = begin + random() % (damaged.size() - begin - 8);
      std::memcpy(damaged.data() + at, &value, random() % 8 + 1);
    }
    if (i % 16 == 0) damaged.resize(random() % damaged.size());
    writeFile(path, damaged);
    look();
  }
  writeFile(path, sound);
  EXPECT_EQ(look().size(), 1U);
}

// What a record says here follows from its operation, so that one that is put
// together from two is known.
IssueRecord issueOf(std::uint64_t n) {
  return {static_cast<std::int64_t>(n), n, n, 1, 0, 1};
}

// The sink refuses everything, so that nothing of the ring is in the trace, and
// what was freed is looked at.
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
  const auto deadline = std::chrono::steady_clock::now() + kLookLimit;
  for (int i = 0; i < 300 || seen == 0; ++i) {
    if (std::chrono::steady_clock::now() > deadline) break;
    for (const LiveRing& live : look()) {
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

// The same as what happens in a moment that no test meets at will.
TEST_F(HostileLiveRingsTest, ASlotThatIsFilledAgainIsNotRead) {
  auto segment = make(readHostInfo());
  Ring ring(segment->ringMemory(), segment->slots());
  ring.push(RecordKind::kIssue, issueOf(1));
  ring.push(RecordKind::kIssue, issueOf(2));
  const std::string first = readFile(segment->path());
  const auto content = parseSegment(first);
  ASSERT_TRUE(content) << content.error().message;
  const auto recordsIn = [&](const std::string& bytes) {
    const RingImage image(std::string_view(bytes).substr(content->ring_offset),
                          content->slots);
    RingImage::Cursor cursor;
    Ring::Record record;
    std::vector<std::uint64_t> positions;
    while (image.next(cursor, record)) positions.push_back(record.position);
    return positions;
  };
  using Positions = std::vector<std::uint64_t>;
  EXPECT_EQ(recordsIn(settled(*content, first, first, 2)), (Positions{0, 1}));
  EXPECT_EQ(recordsIn(settled(*content, first, first, kLiveSlots)),
            (Positions{0, 1}))
      << "the ring is full";
  EXPECT_EQ(recordsIn(settled(*content, first, first, kLiveSlots + 1)),
            Positions{1})
      << "the first slot was claimed again";
  EXPECT_EQ(recordsIn(settled(*content, first, first, 3 * kLiveSlots)),
            Positions{});
}

}  // namespace
}  // namespace traced::testing
