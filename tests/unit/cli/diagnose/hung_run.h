// Made-up runs of four ranks in which rank 1 or 2 does something else.

#pragma once

#include <string>

#include "support/job_builder.h"
#include "support/write_file.h"

namespace traced::testing {

// Adds an all_reduce on the first group.
inline v1::Call& addSum(RankBuilder& rank, std::uint64_t bytes) {
  v1::Call& call = rank.addCall(v1::OPERATION_ALL_REDUCE, 1, bytes);
  call.set_reduce_op(v1::REDUCE_OP_SUM);
  return call;
}

inline void writeRank(const std::string& directory, std::uint32_t number,
                      RankBuilder& rank, Ending ending) {
  writeFile(directory + "/rank-" + std::to_string(number) + ".traced",
            rank.write(ending));
}

// Writes a hung run: rank 2 calls the operations in another order, so it is in
// another operation than the others.
inline void writeHungRun(const std::string& directory) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    RankBuilder& rank = job.rank(r);
    const std::uint32_t dp = addSum(rank, 1 << 20).id();
    const std::uint32_t ema =
        rank.addCall(v1::OPERATION_BROADCAST, rank.addGroup("ema", 0, 4)).id();
    for (int i = 0; i < 3; ++i) {
      rank.end(dp, 20 * i + r, 8 - r);
      rank.end(ema, 20 * i + 10, 5);
    }
    rank.hang(r == 2 ? ema : dp, 100 + r);
    rank.live(30'000);
    writeRank(directory, r, rank, Ending::kCut);
  }
}

// Writes a run that ends normally, although rank 1 once reduced another dtype.
inline void writeMismatchedRun(const std::string& directory) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    RankBuilder& rank = job.rank(r);
    const std::uint32_t dp = addSum(rank, 1 << 20).id();
    std::uint32_t second = dp;
    if (r == 1) {
      v1::Call& odd = addSum(rank, 1 << 21);
      odd.mutable_input(0)->set_dtype(v1::DTYPE_FLOAT64);
      second = odd.id();
    }
    rank.end(dp, 0, 1 + r);
    rank.end(second, 10, 1 + r);
    rank.end(dp, 20, 1 + r);
    writeRank(directory, r, rank, Ending::kClosed);
  }
}

}  // namespace traced::testing
