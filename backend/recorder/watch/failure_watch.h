// FailureWatch detects failed operations in the records. Owned by the writer
// thread.

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

  // Notes the failure in a record, if it has one.
  void update(const Ring::Record& record);

  // Returns the mark of the first new failure since the previous call, with the
  // time of the failure. An operation that fails both in its end and in its
  // wait is reported once.
  std::optional<MarkRecord> take();

 private:
  void note(OpId op, std::int64_t at_ns, std::uint32_t error);

  std::optional<MarkRecord> news_;
  // Ids of the latest failures.
  std::array<OpId, 64> known_;
  std::size_t next_ = 0;
};

}  // namespace traced
