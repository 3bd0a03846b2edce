// Tests damaged and forged segments: none crashes the recovery, and the trace
// stays readable.

#include <google/protobuf/stubs/logging.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <random>

#include "ring_io/chunks/encode_definitions.h"
#include "ring_io/recovery/recover_segments.h"
#include "ring_io/ring/ring.h"
#include "ring_io/ring/segment.h"
#include "support/filled_ring.h"
#include "support/recovered_trace.h"
#include "support/temp_dir.h"
#include "support/write_file.h"

namespace traced::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kRingSlots = 64;

class HostileTest : public ::testing::Test {
 protected:
  HostileTest() {
    google::protobuf::SetLogHandler(nullptr);
    const v1::Header header = makeHeader(Options{}, {}, readHostInfo(), 77);
    auto segment = Segment::create(dir_.path(), 77, kRingSlots,
                                   header.SerializeAsString());
    segment->setTracePath(trace());
    Ring ring(segment->ringMemory(), segment->slots());
    fillRing(ring);
    path_ = segment->path();
    bytes_ = readFile(path_);
  }

  std::string trace() const { return dir_.path() + "/rank-0.traced"; }

  // Recovers a segment of these bytes into an empty trace.
  RecoverOutcome recoverFrom(const std::string& bytes) {
    writeFile(trace(), "");
    writeFile(path_, bytes);
    const auto long_ago =
        fs::file_time_type::clock::now() - std::chrono::hours(1);
    fs::last_write_time(path_, long_ago);
    const auto recovered = recoverSegments({path_}, {});
    EXPECT_EQ(recovered.size(), 1u);
    fs::remove(path_);
    if (recovered.empty()) return RecoverOutcome::kUnreadable;
    checkTrace(recovered[0].outcome == RecoverOutcome::kRecovered);
    return recovered[0].outcome;
  }

  void checkTrace(bool recovered) {
    v1::Trace read;
    ASSERT_TRUE(read.ParseFromString(readFile(trace())));
    ASSERT_EQ(read.chunk_size(), recovered ? 1 : 0);
    if (!recovered) return;
    const v1::Payload payload = decodePayload(read.chunk(0));
    EXPECT_TRUE(payload.has_accounts()) << "it can be parsed";
    EXPECT_TRUE(columnsAgree(payload));
  }

  TempDir dir_;
  std::string path_;
  std::string bytes_;
};

TEST_F(HostileTest, TheUndamagedSegmentIsRecovered) {
  EXPECT_EQ(recoverFrom(bytes_), RecoverOutcome::kRecovered);
  const v1::Payload payload = decodeTrace(readFile(trace())).at(0);
  EXPECT_EQ(payload.marked().value(0), 3u);
  EXPECT_EQ(payload.issued().op_delta_size(), 2);
  EXPECT_EQ(payload.returned().op_delta_size(), 2);
  EXPECT_EQ(payload.waited().op_delta_size(), 2);
  EXPECT_EQ(payload.buffers(0).range_size(), 2);
  EXPECT_EQ(payload.text(0).text(), "boom");
}

TEST_F(HostileTest, SurvivesEveryLength) {
  for (std::size_t length = 0; length < bytes_.size(); length += 61) {
    recoverFrom(bytes_.substr(0, length));
  }
  recoverFrom(bytes_ + bytes_);
}

TEST_F(HostileTest, EveryDamagedByteIsSurvived) {
  for (std::size_t at = 0; at < bytes_.size() && !HasFatalFailure(); ++at) {
    SCOPED_TRACE("byte " + std::to_string(at));
    std::string damaged = bytes_;
    damaged[at] = static_cast<char>(~damaged[at]);
    recoverFrom(damaged);
  }
}

// A number with one wrong bit may still be plausible.
TEST_F(HostileTest, SurvivesEveryDamagedBitOfANumber) {
  SegmentHeader header;
  std::memcpy(&header, bytes_.data(), sizeof header);
  const auto damage = [&](std::size_t begin, std::size_t bytes) {
    for (std::size_t bit = 8 * begin; bit < 8 * (begin + bytes); ++bit) {
      SCOPED_TRACE("bit " + std::to_string(bit));
      std::string damaged = bytes_;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
      recoverFrom(damaged);
    }
  };
  damage(0, offsetof(SegmentHeader, trace_path));
  damage(header.ring_offset + offsetof(RingControl, head), 8);
  damage(header.ring_offset + offsetof(RingControl, tail), 8);
  damage(header.ring_offset + offsetof(RingControl, refused), 32);
  damage(header.ring_offset + offsetof(RingControl, drops) +
             offsetof(ThreadDropTable, entries) +
             offsetof(ThreadDropTable::Entry, ring_full),
         8);
}

TEST_F(HostileTest, SurvivesArbitraryRingContent) {
  const auto seed = std::random_device{}();
  std::cout << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  const std::size_t ring = bytes_.size() - kRingSlots * kSlotBytes;
  for (int i = 0; i < 1000 && !HasFatalFailure(); ++i) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", try " + std::to_string(i));
    std::string damaged = bytes_;
    for (auto n = random() % 20; n > 0; --n) {
      // Mostly values in the range of sizes and counts.
      const std::uint64_t value = random() >> (random() % 64);
      const std::size_t at = ring + random() % (kRingSlots * kSlotBytes - 8);
      std::memcpy(damaged.data() + at, &value, random() % 8 + 1);
    }
    recoverFrom(damaged);
  }
}

}  // namespace
}  // namespace traced::testing
