#include "analysis/digest/digest_maker.h"

#include <memory>
#include <utility>

#include "analysis/clocks/clock_summary.h"
#include "analysis/digest/stream_digest.h"
#include "analysis/reading/stream_reader.h"
#include "base/utf8.h"

namespace traced {

DigestMaker::DigestMaker(const TraceSet& set, const std::string& version)
    : set_(set),
      run_(readArrivals(set)),
      peers_{run_.arrivals, summarizeClocks(set, run_.clocks), run_.groups},
      builder_(kDigestKeys, &peers_),
      look_(describe(version)) {}

v1::DigestLook DigestMaker::describe(const std::string& version) const {
  v1::DigestLook look;
  look.set_traced_version(version);
  for (const auto* warnings :
       {&set_.input_warnings, &set_.selection_warnings}) {
    for (const std::string& warning : *warnings) {
      look.add_warning(toValidUtf8(warning));
    }
  }
  for (const std::string& warning : run_.clocks.warnings) {
    look.add_clock_warning(toValidUtf8(warning));
  }
  look.set_unusable_bytes(set_.unusable_bytes);
  look.set_window_ns(builder_.plan().window_ns);
  const ClockSummary& clocks = peers_.clocks;
  look.set_clocks(clocks.clocks);
  look.set_aligned(clocks.aligned);
  look.set_by_wall_clock(clocks.by_wall_clock);
  if (clocks.certified) {
    look.set_certified_within_ns(clocks.certified->within_ns);
    look.set_worst_rank(clocks.certified->worst_pair.first);
    look.set_other_worst_rank(clocks.certified->worst_pair.second);
  }
  return look;
}

void DigestMaker::make(const TakeDigest& take) {
  workOnStreams(
      set_, set_.selected, readingThreads(set_),
      [&](std::size_t, std::size_t i, StreamTable& table) {
        const ArrivalTable::Stream arrived(
            table, run_.clocks.models[i], run_.clock_ids[i], run_.groups_of[i]);
        const ReportedStream stream{0, table, run_.groups_of[i],
                                    builder_.groups(), &arrived};
        ReportSums sums = builder_.sums();
        sums.add(stream, nullptr);
        // A function must be copied.
        const auto payload = std::make_shared<v1::Payload>(
            digestOf(stream, builder_.plan(), sums, set_.streams[i].header));
        return [&take, i, payload] { take(i, *payload); };
      });
}

}  // namespace traced
