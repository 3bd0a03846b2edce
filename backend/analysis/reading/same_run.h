// Which streams can be of one run. The name of a job is no proof: two runs may
// have one.

#pragma once

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/reading/stream_end.h"
#include "analysis/reading/trace_set.h"

namespace traced {

// Whether two streams are of one job, number of ranks, and attempt or start.
bool haveOneName(const v1::Header& a, const v1::Header& b);

// Whether two streams met in one place, as far as both tell. What one does not
// tell contradicts nothing.
bool metInOnePlace(const v1::Header& a, const v1::Header& b);

// Whether it is enough to prove that two met who tell the same: a name alone is
// no proof.
bool hasRendezvous(const v1::Rendezvous& met);

// Where a run met, for a reader: "10.0.0.1:29500, run id x"; "" if not known.
std::string rendezvousText(const v1::Header& header);

// Whether two streams may be of attempts of one job: of the same name and, as
// far as both tell, of one run of a launcher.
bool mayBeOneJob(const v1::Header& a, const v1::Header& b);

// Whether a stream began before another: by one clock, or by what wall clocks
// of two hosts may differ.
bool beganBefore(const TraceStream& stream, const TraceStream& other);

// Whether a stream went on after another of its rank had begun, by one clock:
// then they are of two runs, whatever else is equal.
bool wentOnBeside(const TraceStream& stream, const TraceStream& later,
                  StreamEnds& ends);

// Knows when the streams of a run began, and so which others had ended before.
// All ranks of a run live at one time: they wait for each other.
class RunStart {
 public:
  // The streams may be those of several runs; `newest` is of the one in
  // question and started last.
  RunStart(const TraceSet& set, const std::vector<std::size_t>& streams,
           std::size_t newest, StreamEnds& ends);

  // Never true of a stream that was started with the newest, by one launcher or
  // by the name of its start, nor of one that does not tell its end. Clocks of
  // several hosts are compared with what wall clocks may differ, and only where
  // the streams do not tell that they met.
  bool isAfter(const TraceStream& stream);

 private:
  const v1::Header& newest_;
  StreamEnds& ends_;
  // Per clock, when the last of its streams started.
  absl::flat_hash_map<std::string, std::int64_t> latest_start_ns_;
};

}  // namespace traced
