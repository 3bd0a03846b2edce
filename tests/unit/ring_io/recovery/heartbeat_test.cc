// Tests until when a process is known to have lived.

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "recover_fixture.h"
#include "ring_io/recovery/ring_image.h"
#include "ring_io/recovery/segment_content.h"
#include "ring_io/recovery/segment_file.h"
#include "ring_io/ring/ring.h"
#include "ring_io/settings/process_info.h"
#include "support/write_file.h"

namespace traced::testing {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::chrono::seconds kBeatLimit{20};

v1::Header headerOf(const HostInfo& host) {
  v1::Header header;
  header.set_boot_id(host.boot_id);
  header.set_time_namespace(host.time_namespace);
  return header;
}

ClockReading earlier(ClockReading reading, std::int64_t ns) {
  return {reading.monotonic_ns - ns, reading.realtime_ns - ns,
          reading.boottime_ns - ns};
}

class HeartbeatTest : public RecoverTest {
 protected:
  static std::optional<ClockReading> beatIn(const std::string& segment) {
    const std::string bytes = readFile(segment);
    const auto content = parseSegment(bytes);
    if (!content) return std::nullopt;
    const auto memory = std::string_view(bytes).substr(content->ring_offset);
    return RingImage(memory, content->slots).heartbeat();
  }

  // In the process itself: blocks until its writer thread has recorded a later
  // heartbeat.
  void awaitBeatAfter(std::int64_t instant_ns) const {
    const auto deadline = std::chrono::steady_clock::now() + kBeatLimit;
    while (std::chrono::steady_clock::now() < deadline) {
      const auto beat = beatIn(segments().at(0));
      if (beat && beat->monotonic_ns > instant_ns) return;
      std::this_thread::yield();
    }
    ADD_FAILURE() << "the writer thread says nothing";
  }

  // Returns the instant at which the last chunk of the trace ends.
  std::int64_t endOfTrace() const {
    return decodeTrace(readFile(traceFile())).back().anchor().monotonic_ns();
  }
};

TEST_F(HeartbeatTest, AReaderSeesTheLastWholeHeartbeat) {
  std::vector<RingSlot> memory(Ring::bytesFor(64) / sizeof(RingSlot));
  Ring ring(memory.data(), 64);
  const auto seen = [&] {
    return RingImage({reinterpret_cast<const char*>(memory.data()),
                      Ring::bytesFor(64)},
                     64)
        .heartbeat();
  };
  EXPECT_FALSE(seen());
  ring.beat({1, 2, 3});
  EXPECT_EQ(seen().value().monotonic_ns, 1);
  ring.beat({4, 5, 6});
  EXPECT_EQ(seen().value().realtime_ns, 5);
  // The thread dies while it writes the next one.
  ring.control().heartbeat[1].monotonic_ns = 7;
  EXPECT_EQ(seen().value().monotonic_ns, 4);
  EXPECT_EQ(seen().value().boottime_ns, 6);
}

TEST_F(HeartbeatTest, IgnoresImpossibleHeartbeats) {
  const v1::Header header = headerOf(readHostInfo());
  const ClockReading now = readClocks();
  const ClockReading written = earlier(now, 10 * kSecond);
  EXPECT_TRUE(isBelievable(earlier(now, kSecond), written, header));
  EXPECT_TRUE(isBelievable(written, written, header));
  EXPECT_FALSE(isBelievable(earlier(now, 11 * kSecond), written, header));
  EXPECT_FALSE(isBelievable(earlier(now, -kSecond * 3600), written, header));
  ClockReading odd = earlier(now, kSecond);
  odd.boottime_ns = std::numeric_limits<std::int64_t>::max();
  EXPECT_FALSE(isBelievable(odd, written, header));
  odd.boottime_ns = std::numeric_limits<std::int64_t>::min();
  EXPECT_FALSE(isBelievable(odd, written, header));
}

TEST_F(HeartbeatTest, IgnoresAHeartbeatOfAnotherClock) {
  const ClockReading now = readClocks();
  const ClockReading beat = earlier(now, kSecond);
  const ClockReading written = earlier(now, 2 * kSecond);
  HostInfo host = readHostInfo();
  host.time_namespace += 1;
  EXPECT_FALSE(isBelievable(beat, written, headerOf(host)));
  host = readHostInfo();
  host.boot_id = "another";
  EXPECT_FALSE(isBelievable(beat, written, headerOf(host)));
  host.boot_id = "";
  EXPECT_FALSE(isBelievable(beat, written, headerOf(host)));
}

TEST_F(HeartbeatTest, AnIdleProcessIsKnownToHaveLived) {
  inKilledProcess([&] {
    Recorder& recorder = start();
    auto group = recorder.addGroup(worldOfTwo());
    issueCall(recorder, *group, 1);
    recorder.flush(kFlushLimit);
    const std::string file = readFile(traceFile());
    awaitBeatAfter(nowNs() + kSecond);
    if (readFile(traceFile()) != file) ADD_FAILURE() << "the file grew";
    if (HasFailure()) _exit(1);
  });
  const std::int64_t before = endOfTrace();
  const std::int64_t beat = beatIn(segments().at(0)).value().monotonic_ns;
  EXPECT_EQ(recover().at(0).records, 0U);
  EXPECT_EQ(endOfTrace(), beat);
  EXPECT_GT(beat, before + kSecond);
  EXPECT_TRUE(readRecovered(traces()).accounts().recovered());
}

TEST_F(HeartbeatTest, LeavesOutAnImpossibleHeartbeat) {
  killOne();
  const std::string segment = segments().at(0);
  std::string bytes = readFile(segment);
  const auto content = parseSegment(bytes);
  ASSERT_TRUE(content);
  const std::int64_t before = endOfTrace();
  // The year 2262.
  for (const std::size_t entry : {0, 1}) {
    const std::int64_t never = std::numeric_limits<std::int64_t>::max();
    const std::size_t at = content->ring_offset +
                           offsetof(RingControl, heartbeat) +
                           entry * sizeof(RingControl::Heartbeat);
    std::memcpy(bytes.data() + at, &never, sizeof never);
  }
  const std::uint64_t beats = 3;
  std::memcpy(
      bytes.data() + content->ring_offset + offsetof(RingControl, beats),
      &beats, sizeof beats);
  writeFile(segment, bytes);
  EXPECT_EQ(recover().at(0).records, 6U);
  EXPECT_EQ(endOfTrace(), before);
}

}  // namespace
}  // namespace traced::testing
