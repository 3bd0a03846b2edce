#include "analysis/reading/stream_reader.h"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>

#include "support/stream_builder.h"
#include "support/temp_dir.h"
#include "support/write_file.h"

namespace traced::testing {
namespace {

// Enough ranks to load several at a time.
constexpr std::uint32_t kRanks = 300;

class StreamReaderTest : public ::testing::Test {
 protected:
  StreamReaderTest() {
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
      StreamBuilder stream(rank, kRanks);
      stream.addGroup("world", 0, kRanks).set_group_rank(rank);
      stream.addCall(v1::OPERATION_ALL_REDUCE, 1, 64, 64);
      for (std::uint64_t id = 1; id <= rank % 7; ++id) {
        stream.add(IssueRow{.op = id, .issue_ns = 10, .call = 1, .seq = id});
      }
      writeFile(dir_.path() + "/rank-" + std::to_string(rank) + ".traced",
                stream.takeChunk(true));
    }
    const std::vector<std::string> paths = {dir_.path()};
    set_ = *openTraceSet(paths);
  }

  TempDir dir_;
  TraceSet set_;
};

TEST_F(StreamReaderTest, StreamsAreShownInOrderWhateverTheThreads) {
  std::vector<std::size_t> some(set_.selected.rbegin(), set_.selected.rend());
  some.resize(kRanks / 2);
  for (const std::size_t threads : {1, 2, 3, 8, 100}) {
    for (const auto& wanted : {set_.selected, some, {}, {7}}) {
      std::vector<std::size_t> shown;
      readStreams(set_, wanted, threads,
                  [&](std::size_t i, StreamTable& table) {
                    shown.push_back(i);
                    const std::uint32_t rank = set_.streams[i].header.rank();
                    EXPECT_EQ(table.header.rank(), rank);
                    EXPECT_EQ(table.operations.size(), rank % 7);
                    const StreamTable taken = std::move(table);
                  });
      EXPECT_EQ(shown, wanted) << threads;
    }
  }
}

TEST_F(StreamReaderTest, AnExceptionInAVisitEndsAllThreads) {
  for (const std::size_t threads : {1, 2, 8}) {
    std::size_t shown = 0;
    const auto fail_at_100 = [&](std::size_t, StreamTable&) {
      if (++shown == 100) throw std::runtime_error("enough");
    };
    EXPECT_THROW(readStreams(set_, set_.selected, threads, fail_at_100),
                 std::runtime_error);
    EXPECT_EQ(shown, 100U);
  }
}

// Several threads work concurrently, on tables of their own.
TEST_F(StreamReaderTest, WorkIsFinishedInOrderWhileItsTableLives) {
  for (const std::size_t threads : {1, 2, 8}) {
    std::vector<std::uint64_t> worked(threads);
    std::vector<std::size_t> finished;
    workOnStreams(set_, set_.selected, threads,
                  [&](std::size_t thread, std::size_t i, StreamTable& table) {
                    ++worked.at(thread);
                    const std::size_t operations = table.operations.size();
                    return [&finished, &table, i, operations] {
                      EXPECT_EQ(table.operations.size(), operations);
                      EXPECT_EQ(operations, table.header.rank() % 7);
                      finished.push_back(i);
                    };
                  });
    EXPECT_EQ(finished, set_.selected);
    EXPECT_EQ(std::accumulate(worked.begin(), worked.end(), std::uint64_t{0}),
              kRanks);
    for (const std::uint64_t streams : worked) EXPECT_GT(streams, 0u);
  }
}

TEST_F(StreamReaderTest, AnExceptionInWorkEndsAllThreads) {
  for (const std::size_t threads : {1, 2, 8}) {
    const auto fail_at_100 = [](std::size_t, std::size_t i, StreamTable&) {
      if (i == 100) throw std::runtime_error("enough");
      return [] {};
    };
    EXPECT_THROW(workOnStreams(set_, set_.selected, threads, fail_at_100),
                 std::runtime_error);
  }
}

}  // namespace
}  // namespace traced::testing
