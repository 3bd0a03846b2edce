// Simulates a job whose ranks each have a host and a clock of their own. The
// true instants are known; a clock error is added when they are written.

#pragma once

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "support/stream_builder.h"
#include "support/write_file.h"

namespace traced::testing {

// Returns the error that a clock adds at a true time.
using ClockError = std::function<std::int64_t(std::int64_t)>;

struct SimulatedJob {
  std::uint32_t ranks = 2;
  std::uint64_t operations = 3'000;
  double gap_us = 1'000;    // between operations of a rank, on average
  double transfer_us = 30;  // from the last start to the first end at least
  double jitter_us = 30;    // how much later ranks see an end, on average
  double uneven_us = 200;   // how far apart ranks start, on average
  v1::Operation op = v1::OPERATION_ALL_REDUCE;
  // Ranks take turns on this many hosts. 0: each rank has its own host.
  std::uint32_t hosts = 0;
};

class SimulatedHosts {
 public:
  SimulatedHosts(const SimulatedJob& job, std::uint64_t seed,
                 std::vector<ClockError> errors)
      : job_(job), random_(seed), errors_(std::move(errors)) {}

  // Writes a trace per rank and keeps the true instants.
  void write(const std::string& directory) {
    std::vector<StreamBuilder> streams;
    for (std::uint32_t rank = 0; rank < job_.ranks; ++rank) {
      StreamBuilder& stream = streams.emplace_back(rank, job_.ranks);
      const std::uint32_t host = job_.hosts > 0 ? rank % job_.hosts : rank;
      stream.header().set_boot_id("boot " + std::to_string(host));
      stream.addGroup("dp", 0, job_.ranks);
      stream.addCall(job_.op, 1, 64, 64).set_root_plus_1(1);
    }
    std::vector<double> free(job_.ranks, StreamBuilder::kIssueNs);
    for (std::uint64_t seq = 1; seq <= job_.operations; ++seq) {
      step(streams, free, seq);
    }
    for (std::uint32_t rank = 0; rank < job_.ranks; ++rank) {
      writeFile(directory + "/rank-" + std::to_string(rank) + ".traced",
                streams[rank].takeChunk(true));
    }
  }

  const std::vector<std::int64_t>& trueInstants() const { return true_ns_; }

  // Returns the reading of a rank's clock at a true time.
  std::int64_t read(std::uint32_t rank, std::int64_t true_ns) const {
    return true_ns + (errors_[rank] ? errors_[rank](true_ns) : 0);
  }

 private:
  double after(double mean_us) {
    return std::exponential_distribution<double>(1 / (mean_us * 1e3))(random_);
  }

  void step(std::vector<StreamBuilder>& streams, std::vector<double>& free,
            std::uint64_t seq) {
    std::vector<double> issue(job_.ranks);
    for (std::uint32_t rank = 0; rank < job_.ranks; ++rank) {
      issue[rank] = free[rank] + job_.gap_us * 1e3 + after(job_.uneven_us);
    }
    const double last = *std::max_element(issue.begin(), issue.end());
    for (std::uint32_t rank = 0; rank < job_.ranks; ++rank) {
      const double end = last + job_.transfer_us * 1e3 + after(job_.jitter_us);
      free[rank] = end;
      const auto issue_ns = static_cast<std::int64_t>(issue[rank]);
      const std::int64_t read_ns = read(rank, issue_ns);
      streams[rank].addOperation(
          seq, read_ns, 1, seq,
          read(rank, static_cast<std::int64_t>(end)) - read_ns);
      if (rank == 0) true_ns_.push_back(issue_ns);
    }
  }

  const SimulatedJob job_;
  std::mt19937_64 random_;
  std::vector<ClockError> errors_;
  std::vector<std::int64_t> true_ns_;
};

}  // namespace traced::testing
