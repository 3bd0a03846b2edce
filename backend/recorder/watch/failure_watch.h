// FailureWatch notices in the records that operations failed. Owned by the
// writer thread.

#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "ring_io/ring/record.h"
#include "ring_io/ring/ring.h"

namespace traced {

class FailureWatch {
 public:
  FailureWatch() { known_.fill(kLostOp); }

  void see(const Ring::Record& record);

  // The mark of the first operation that was seen to fail since the last call,
  // at the time it did. An operation that fails twice, in its end and in the
  // wait for it, is told once.
  std::optional<MarkRecord> take();

 private:
  void note(OpId op, std::int64_t at_ns, std::uint32_t error);

  std::optional<MarkRecord> news_;
  // The failures seen last.
  std::array<OpId, 64> known_;
  std::size_t next_ = 0;
};

}  // namespace traced
