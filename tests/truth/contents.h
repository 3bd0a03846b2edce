// Contents models what tensors hold: hashes and sums of what is transferred,
// and which have NaN. In some programs one part of a transfer is corrupted, or
// NaN begins in the input of one rank.

#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "base/examined.h"
#include "trace_io/row.h"
#include "truth/history.h"
#include "truth/program.h"

namespace traced::truth {

enum class ContentFault : std::uint8_t { kNone, kCorrupted, kNan };

// The operation is an index into the history of the rank.
struct PlantedContent {
  ContentFault kind = ContentFault::kNone;
  std::uint32_t rank = 0;
  std::uint32_t operation = 0;
};

class Contents {
 public:
  // Holds references to both.
  Contents(const Program& program, const History& history);

  bool areRecorded() const { return recorded_; }
  const PlantedContent& planted() const { return planted_; }

  // Return the rows of an operation, without its id.
  std::vector<HashRow> hashes(std::uint32_t rank, std::uint32_t operation,
                              ExaminedAt at) const;
  std::vector<StatisticsRow> statistics(std::uint32_t rank,
                                        std::uint32_t operation,
                                        ExaminedAt at) const;

 private:
  // An operation of all its ranks: group, source and destination of a message,
  // number.
  using Key =
      std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint64_t>;

  Key keyOf(std::uint32_t rank, const Happened& op) const;
  std::uint32_t groupRank(std::uint32_t rank, const Called& call) const;
  bool reads(std::uint32_t rank, const Called& call) const;
  bool fills(std::uint32_t rank, const Called& call) const;
  bool canBeFound(std::uint32_t rank, const Called& call) const;
  void plant();
  void spreadNan();

  const Program& program_;
  const History& history_;
  bool recorded_ = false;
  PlantedContent planted_;
  // By rank and operation.
  std::vector<std::vector<bool>> nan_in_;
  std::vector<std::vector<bool>> nan_out_;
};

}  // namespace traced::truth
