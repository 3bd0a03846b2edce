// Tests processes that die while the writer appends a chunk: before, during and
// after the write, and before the slots are free.

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <fstream>

#include "recorder/writer.h"
#include "ring_io/chunks/encode_definitions.h"
#include "ring_io/recovery/recover_segments.h"
#include "ring_io/ring/segment.h"
#include "ring_io/sinks/file_sink.h"
#include "support/recovered_trace.h"
#include "support/temp_dir.h"

namespace traced::testing {
namespace {

// Writes `bytes` of the third chunk, or all of it, and kills its process.
class DyingSink : public Sink {
 public:
  static constexpr std::size_t kAll = ~std::size_t{0};

  DyingSink(std::unique_ptr<Sink> sink, std::size_t bytes)
      : sink_(std::move(sink)), bytes_(bytes) {}

  bool append(const std::string& chunk, std::uint64_t records) override {
    if (++chunks_ < 3) return sink_->append(chunk, records);
    std::ofstream(sink_->location(), std::ios::app | std::ios::binary)
        << chunk.substr(0, bytes_) << std::flush;
    kill(getpid(), SIGKILL);
    return false;
  }
  std::uint64_t recordsDeleted() const override { return 0; }
  std::string location() const override { return sink_->location(); }

 private:
  const std::unique_ptr<Sink> sink_;
  const std::size_t bytes_;
  int chunks_ = 0;
};

class RecoverAppendTest : public ::testing::TestWithParam<std::size_t> {
 protected:
  // Pushes releases of operations 1, 2, 3, ... until it dies.
  void record(const std::string& directory, std::atomic<OpId>& pushed) {
    Options options;
    options.resources_ns = 0;  // the test counts records
    options.directory = directory + "/traces";
    HostInfo host = readHostInfo();
    const v1::Header header = makeHeader(options, {}, host, randomStreamId());
    auto sink = std::move(*FileSink::create(options, {}, host));
    auto segment = Segment::create(directory, header.stream_id(), 4096,
                                   header.SerializeAsString());
    segment->setTracePath(sink->location());
    Ring ring(segment->ringMemory(), segment->slots());
    const OwnTime own_time;
    Writer writer(ring, own_time,
                  std::make_unique<DyingSink>(std::move(sink), GetParam()),
                  header, {}, {});
    for (;;) {
      for (int i = 0; i < 10; ++i) {
        ring.push(RecordKind::kRelease, ReleaseRecord{pushed + 1, nowNs()});
        ++pushed;
      }
      writer.flush(std::chrono::seconds(20));
    }
  }
};

TEST_P(RecoverAppendTest, NoRecordIsLostOrDuplicated) {
  auto* pushed = static_cast<std::atomic<OpId>*>(
      mmap(nullptr, sizeof(std::atomic<OpId>), PROT_READ | PROT_WRITE,
           MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  const TempDir dir;
  inKilledProcess([&] { record(dir.path(), *pushed); });
  const auto recovered = recoverSegments(findSegments({dir.path()}), {});
  ASSERT_EQ(recovered.size(), 1u);
  EXPECT_EQ(recovered[0].outcome, RecoverOutcome::kRecovered)
      << recovered[0].why;
  if (GetParam() == DyingSink::kAll) {
    EXPECT_LE(recovered[0].records, 10u);
  } else {
    EXPECT_GT(recovered[0].records, 0u);
  }
  const RecoveredTrace trace = readRecovered(dir.path() + "/traces");
  EXPECT_GE(trace.rows, pushed->load());
  EXPECT_LE(trace.rows, *pushed + 1) << "the count may have been to come";
  for (OpId op = 1; op <= *pushed; ++op) {
    EXPECT_EQ(trace.rows_of.count(op), 1u) << op;
  }
  EXPECT_EQ(trace.accounts().stored(), trace.rows);
  EXPECT_EQ(trace.accounts().produced(), trace.rows);
  munmap(pushed, sizeof *pushed);
}

INSTANTIATE_TEST_SUITE_P(Bytes, RecoverAppendTest,
                         ::testing::Values(0, 1, 2, 3, 8, 20, 100,
                                           DyingSink::kAll));

}  // namespace
}  // namespace traced::testing
