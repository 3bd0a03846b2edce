// A made-up run of four ranks that stands still: rank 2 is in another operation
// than the others, as it took them in another order.

#pragma once

#include <string>

#include "support/job_builder.h"
#include "support/write_file.h"

namespace traced::testing {

inline void writeHungRun(const std::string& directory) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    RankBuilder& rank = job.rank(r);
    v1::Call& call = rank.addCall(v1::OPERATION_ALL_REDUCE, 1, 1 << 20);
    call.set_reduce_op(v1::REDUCE_OP_SUM);
    const std::uint32_t dp = call.id();
    const std::uint32_t ema =
        rank.addCall(v1::OPERATION_BROADCAST, rank.addGroup("ema", 0, 4)).id();
    for (int i = 0; i < 3; ++i) {
      rank.end(dp, 20 * i + r, 8 - r);
      rank.end(ema, 20 * i + 10, 5);
    }
    rank.hang(r == 2 ? ema : dp, 100 + r);
    rank.live(30'000);
    writeFile(directory + "/rank-" + std::to_string(r) + ".traced",
              rank.write(Ending::kCut));
  }
}

// The same, but that rank 1 calls an all_reduce of another dtype, and everybody
// ends in order.
inline void writeMismatchedRun(const std::string& directory) {
  JobBuilder job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    RankBuilder& rank = job.rank(r);
    v1::Call& call = rank.addCall(v1::OPERATION_ALL_REDUCE, 1, 1 << 20);
    call.set_reduce_op(v1::REDUCE_OP_SUM);
    const std::uint32_t dp = call.id();
    rank.end(dp, r);
    if (r == 1) {
      v1::Call& odd = rank.addCall(v1::OPERATION_ALL_REDUCE, 1, 1 << 21);
      odd.set_reduce_op(v1::REDUCE_OP_SUM);
      odd.mutable_input(0)->set_dtype(v1::DTYPE_FLOAT64);
      rank.end(odd.id(), 10 + r);
    } else {
      rank.end(dp, 10 + r);
    }
    rank.end(dp, 20 + r);
    writeFile(directory + "/rank-" + std::to_string(r) + ".traced",
              rank.write(Ending::kClosed));
  }
}

}  // namespace traced::testing
