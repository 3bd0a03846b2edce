#include "cli/export/otf2/location_writer.h"

#include <limits>
#include <utility>

namespace traced::otf2 {

std::uint64_t LocationWriter::timeOf(std::int64_t ns) {
  const auto time = static_cast<std::uint64_t>(ns);
  range_.add(time);
  return time;
}

void LocationWriter::enter(std::int64_t at_ns, OTF2_RegionRef region) {
  writeUntil(at_ns);
  now_ns_ = at_ns;
  archive_.check(
      OTF2_EvtWriter_Enter(writer_, facts_.list(), timeOf(at_ns), region));
}

void LocationWriter::leave(std::int64_t at_ns, OTF2_RegionRef region) {
  writeUntil(at_ns);
  archive_.check(OTF2_EvtWriter_Leave(writer_, nullptr, timeOf(at_ns), region));
}

void LocationWriter::write(const Write& event) {
  archive_.check(event(writer_, timeOf(now_ns_)));
}

void LocationWriter::writeAt(std::int64_t at_ns, Write event) {
  later_.push({at_ns, places_++, std::move(event)});
}

void LocationWriter::writeUntil(std::int64_t ns) {
  while (!later_.empty() && later_.top().at_ns <= ns) {
    const Later& next = later_.top();
    archive_.check(next.event(writer_, timeOf(next.at_ns)));
    later_.pop();
  }
}

std::uint64_t LocationWriter::finish() {
  writeUntil(std::numeric_limits<std::int64_t>::max());
  return archive_.endLocation(writer_);
}

}  // namespace traced::otf2
