// Tests the simulated NCCL with communicators of two ranks: two devices of this
// process.

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <nccl.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

extern "C" void simulated_cuda_set(const char* name, double value);

namespace {

constexpr int kRanks = 2;

// Runs `action` for both ranks concurrently, each on its device.
void onBoth(const std::function<void(int)>& action) {
  std::vector<std::thread> threads;
  for (int rank = 0; rank < kRanks; ++rank) {
    threads.emplace_back([&action, rank] {
      cudaSetDevice(rank);
      action(rank);
    });
  }
  for (auto& thread : threads) thread.join();
}

class NcclTest : public testing::Test {
 protected:
  NcclTest() {
    ncclUniqueId id;
    ncclGetUniqueId(&id);
    onBoth([&](int rank) {
      EXPECT_EQ(ncclCommInitRank(&comms_[rank], kRanks, id, rank), ncclSuccess);
      cudaStreamCreate(&streams_[rank]);
      cudaMalloc(reinterpret_cast<void**>(&memory_[rank]), kBytes);
    });
  }
  ~NcclTest() override {
    for (auto* comm : comms_) ncclCommAbort(comm);
    onBoth([](int) { cudaDeviceSynchronize(); });
  }

  void allReduce(int rank, size_t count) {
    EXPECT_EQ(ncclAllReduce(memory_[rank], memory_[rank], count, ncclFloat32,
                            ncclSum, comms_[rank], streams_[rank]),
              ncclSuccess);
  }

  static constexpr size_t kBytes = 1 << 20;
  std::array<ncclComm_t, kRanks> comms_{};
  std::array<cudaStream_t, kRanks> streams_{};
  std::array<float*, kRanks> memory_{};
};

TEST_F(NcclTest, AllReduceAdds) {
  const size_t count = kBytes / sizeof(float);  // more than a ring holds
  onBoth([&](int rank) {
    for (size_t i = 0; i < count; ++i) memory_[rank][i] = float(i % 7 + rank);
    allReduce(rank, count);
    cudaStreamSynchronize(streams_[rank]);
  });
  for (size_t i = 0; i < count; ++i) {
    ASSERT_EQ(memory_[0][i], float(2 * (i % 7) + 1));
    ASSERT_EQ(memory_[1][i], memory_[0][i]);
  }
}

TEST_F(NcclTest, MessagesOfAGroupMoveAtOnce) {
  onBoth([&](int rank) {
    memory_[rank][0] = float(rank);
    ncclGroupStart();
    ncclSend(memory_[rank], 1, ncclFloat32, 1 - rank, comms_[rank],
             streams_[rank]);
    ncclRecv(memory_[rank] + 1, 1, ncclFloat32, 1 - rank, comms_[rank],
             streams_[rank]);
    ncclGroupEnd();
    cudaStreamSynchronize(streams_[rank]);
    EXPECT_EQ(memory_[rank][1], float(1 - rank));
  });
}

TEST_F(NcclTest, OperationsOnSeveralStreamsKeepTheOrderOfTheirCalls) {
  onBoth([&](int rank) {
    cudaStream_t other;
    cudaStreamCreate(&other);
    float* first = memory_[rank];
    float* second = memory_[rank] + 1;
    *first = 1;
    *second = 100;
    for (int i = 0; i < 20; ++i) {
      for (const auto& [at, stream] :
           {std::pair{first, streams_[rank]}, std::pair{second, other}}) {
        ncclAllReduce(at, at, 1, ncclFloat32, ncclSum, comms_[rank], stream);
      }
    }
    cudaDeviceSynchronize();
    EXPECT_EQ(*first, float(1 << 20));
    EXPECT_EQ(*second, 100 * float(1 << 20));
  });
}

TEST_F(NcclTest, MismatchedOperationsHangUntilAborted) {
  onBoth([&](int rank) { allReduce(rank, size_t(rank) + 1); });
  EXPECT_EQ(cudaStreamQuery(streams_[0]), cudaErrorNotReady);
  for (auto*& comm : comms_) {
    EXPECT_EQ(ncclCommAbort(comm), ncclSuccess);
  }
  onBoth([&](int rank) {
    EXPECT_EQ(cudaStreamSynchronize(streams_[rank]), cudaSuccess);
  });
}

TEST_F(NcclTest, SplitMakesCommunicatorsByColour) {
  onBoth([&](int rank) {
    ncclComm_t alone;
    int count = 0;
    EXPECT_EQ(ncclCommSplit(comms_[rank], rank, 0, &alone, nullptr),
              ncclSuccess);
    EXPECT_EQ(ncclCommCount(alone, &count), ncclSuccess);
    EXPECT_EQ(count, 1);
  });
}

TEST_F(NcclTest, RefusesMemoryOfTheHost) {
  float host = 0;
  EXPECT_EQ(ncclAllReduce(&host, &host, 1, ncclFloat32, ncclSum, comms_[0],
                          streams_[0]),
            ncclInvalidArgument);
}

TEST_F(NcclTest, RefusesDestroyedCommunicators) {
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  ncclComm_t own;
  ncclCommInitRank(&own, 1, id, 0);
  ncclCommDestroy(own);
  EXPECT_EQ(ncclAllReduce(memory_[0], memory_[0], 1, ncclFloat32, ncclSum, own,
                          streams_[0]),
            ncclInvalidArgument);
}

TEST_F(NcclTest, RefusesTwoRanksOnOneGpu) {
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  onBoth([&](int rank) {
    cudaSetDevice(0);
    ncclComm_t shared;
    EXPECT_EQ(ncclCommInitRank(&shared, kRanks, id, rank), ncclInvalidUsage);
  });
}

// In a process of its own, because operations are counted per process.
TEST(FailureDeathTest, OneOperationFailsAndWaitsForTheAbort) {
  const auto fails = [] {
    simulated_cuda_set("SIMULATED_NCCL_FAIL_OPERATION", 2);
    ncclUniqueId id;
    ncclComm_t own;
    void* memory;
    ncclGetUniqueId(&id);
    ncclCommInitRank(&own, 1, id, 0);
    cudaMalloc(&memory, 4);
    ncclResult_t state = ncclSuccess;
    for (int i = 0; i < 2; ++i) {
      ncclAllReduce(memory, memory, 1, ncclFloat32, ncclSum, own, nullptr);
      if (i == 0) cudaStreamSynchronize(nullptr);
      ncclCommGetAsyncError(own, &state);
      if (i == 0 && state != ncclSuccess) std::_Exit(1);
    }
    while (state == ncclSuccess) ncclCommGetAsyncError(own, &state);
    if (cudaStreamQuery(nullptr) != cudaErrorNotReady) std::_Exit(2);
    ncclCommAbort(own);
    cudaStreamSynchronize(nullptr);
    std::_Exit(state == ncclRemoteError ? 0 : 3);
  };
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(fails(), testing::ExitedWithCode(0), "");
}

}  // namespace
