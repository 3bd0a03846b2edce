#include "cli/common/time_cell.h"

#include "cli/common/text.h"

namespace traced {

std::string totalCell(const TimeSum& time, std::uint64_t not_seen) {
  if (time.count == 0) return "-";
  return (not_seen > 0 ? ">=" : "") +
         millisecondsText(static_cast<double>(time.total_ns));
}

}  // namespace traced
