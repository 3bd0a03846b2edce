// Tests files that claim to be segments: reads never exceed the file, nor the
// sizes that a recorder uses.

#include "ring_io/recovery/segment_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <functional>

#include "ring_io/chunks/encode_definitions.h"
#include "ring_io/recovery/live_rings.h"
#include "ring_io/recovery/recover_segments.h"
#include "ring_io/recovery/ring_tail.h"
#include "ring_io/ring/ring.h"
#include "ring_io/ring/segment.h"
#include "support/filled_ring.h"
#include "support/temp_dir.h"
#include "support/trace_file.h"
#include "support/write_file.h"

namespace traced::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

class SegmentFileTest : public ::testing::Test {
 protected:
  // An hour old, so that nobody is about to lock it.
  std::string put(const std::string& bytes, std::uint64_t file_bytes) {
    const std::string path =
        writeFile(dir_.path() + "/traced.65534.1.ring", bytes);
    fs::resize_file(path, file_bytes);
    fs::last_write_time(
        path, fs::file_time_type::clock::now() - std::chrono::hours(1));
    return path;
  }

  // Builds a recorder's segment whose header claims `slots` slots.
  std::string segmentOf(std::uint64_t slots) const {
    const v1::Header header = makeHeader(Options{}, {}, readHostInfo(), 77);
    const auto segment =
        Segment::create(dir_.path(), 77, 64, header.SerializeAsString());
    segment->setTracePath(dir_.path() + "/rank-0.traced");
    Ring ring(segment->ringMemory(), segment->slots());
    fillRing(ring);
    std::string bytes = readFile(segment->path());
    std::memcpy(bytes.data() + offsetof(SegmentHeader, slots), &slots,
                sizeof slots);
    return bytes;
  }

  RecoveredSegment recover(const std::string& path) const {
    const auto recovered = recoverSegments({path}, {});
    return recovered.empty() ? RecoveredSegment{} : recovered[0];
  }

  TempDir dir_;
};

// Returns how much a process's memory grows while it calls `run`.
std::uint64_t memoryOf(const std::function<void()>& run) {
  int peak[2];
  if (pipe(peak) != 0) return ~std::uint64_t{0};
  const pid_t child = fork();
  const auto residentBytes = [] {
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_maxrss) << 10;
  };
  if (child == 0) {
    const std::uint64_t before = residentBytes();
    run();
    const std::uint64_t grown = residentBytes() - before;
    _exit(write(peak[1], &grown, sizeof grown) == sizeof grown ? 0 : 1);
  }
  close(peak[1]);
  std::uint64_t grown = ~std::uint64_t{0};
  if (read(peak[0], &grown, sizeof grown) != sizeof grown) grown = kGiB;
  close(peak[0]);
  waitpid(child, nullptr, 0);
  return grown;
}

TEST_F(SegmentFileTest, AnApparentlyLargeFileCostsNothing) {
  for (const std::uint64_t bytes : {kGiB, 40 * kGiB}) {
    const std::string path = put("", bytes);
    EXPECT_LT(memoryOf([&] { recover(path); }), kGiB / 64) << bytes;
  }
}

TEST_F(SegmentFileTest, AnApparentlyLargeRingCostsNothing) {
  const std::string path = put(segmentOf(1 << 24), 2 * kGiB);
  writeFile(dir_.path() + "/rank-0.traced", "");
  EXPECT_LT(memoryOf([&] { recover(path); }), kGiB / 64);
  put(segmentOf(1 << 24), kGiB + (1 << 20));
  EXPECT_LT(memoryOf([&] { recover(path); }), kGiB / 64);
  put(segmentOf(1 << 24), kGiB + (1 << 20));
  EXPECT_LT(memoryOf([&] { SegmentFile::open(path)->readLive(); }), kGiB / 64);
}

// The reasons for which each reader of live rings refuses the segment.
struct Refusals {
  std::string followed;
  std::string read;
};

// Opens the segment with each reader. A reader that accepts it gives "".
Refusals refusalsOf(const std::string& path) {
  const RingFile ring{path, 77, geteuid()};
  const auto followed = RingTail::open(ring);
  const auto read = readRing(ring);
  return {followed && !*followed ? followed->error().message : "",
          read && !*read ? read->error().message : ""};
}

TEST_F(SegmentFileTest, ALiveRingIsReadOnlyWhenARecorderMayHaveMadeIt) {
  const std::string bytes = segmentOf(64);
  const auto expect = [](const std::string& path, const std::string& why) {
    const Refusals refusals = refusalsOf(path);
    EXPECT_EQ(refusals.followed, why);
    EXPECT_EQ(refusals.read, why);
  };
  const std::string path = put(bytes, bytes.size());
  expect(path, "");
  put(segmentOf(1 << 24), kGiB + (1 << 20));
  expect(path, "it has holes, which no recorder makes");
  put(bytes, 2 * kGiB);
  expect(path, "it is larger than any ring");
  put(bytes, bytes.size());
  fs::permissions(path, fs::perms::group_write, fs::perm_options::add);
  expect(path, "users other than its owner may write to it");
  EXPECT_EQ(recover(path).why, "users other than its owner may write to it");
  EXPECT_FALSE(namesOneOf({path, 77, geteuid()}, {dir_.path()}));
}

TEST_F(SegmentFileTest, ARingOfAnotherUserIsNotRead) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  const std::string bytes = segmentOf(64);
  const std::string path = put(bytes, bytes.size());
  fs::permissions(dir_.path(), fs::perms::all);
  fs::permissions(path, fs::perms::others_read, fs::perm_options::add);
  const pid_t child = fork();
  if (child == 0) {
    if (seteuid(65534) != 0) _exit(2);
    const Refusals refusals = refusalsOf(path);
    const std::string why = "it belongs to another user";
    _exit(refusals.followed == why && refusals.read == why ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(SegmentFileTest, AFileWithHolesIsReadAsItIs) {
  std::string bytes(1 << 20, 'a');
  const std::string path = put(bytes, 3 << 20);
  EXPECT_EQ(SegmentFile::open(path)->read().bytes(), bytes.substr(0, 64 << 10))
      << "it is no segment";

  bytes = segmentOf(64);
  put(bytes, bytes.size() + (1 << 20));
  EXPECT_EQ(SegmentFile::open(path)->read().bytes(),
            bytes.substr(0, SegmentFile::open(path)->read().bytes().size()));
  EXPECT_LE(SegmentFile::open(path)->read().bytes().size(), bytes.size());
  EXPECT_EQ(SegmentFile::open(path)->readLive().bytes(),
            SegmentFile::open(path)->read().bytes());
}

// Any user who may write to it can also empty it, so this proves nothing about
// its process.
TEST_F(SegmentFileTest, ReportsAnEmptySegment) {
  for (const std::uint64_t bytes : {0, 5, 1 << 20}) {
    const RecoveredSegment recovered = recover(put("", bytes));
    EXPECT_EQ(recovered.outcome, RecoverOutcome::kDiscarded);
    EXPECT_EQ(recovered.why,
              "it is empty: its process died while making it, or something "
              "else emptied it");
  }
}

TEST_F(SegmentFileTest, KeepsAFileThatOnlyBeginsWithZeros) {
  const std::string bytes = segmentOf(64);
  const std::string damaged = std::string(4096, '\0') + bytes.substr(4096);
  const RecoveredSegment recovered = recover(put(damaged, damaged.size()));
  EXPECT_EQ(recovered.outcome, RecoverOutcome::kUnreadable);
}

}  // namespace
}  // namespace traced::testing
