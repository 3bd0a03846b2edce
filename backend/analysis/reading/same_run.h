// Decides which streams can belong to one run. The job's name is no proof: two
// runs may share it.

#pragma once

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/reading/stream_end.h"
#include "analysis/reading/trace_set.h"

namespace traced {

// Returns whether two streams have the same job and world size, and the same
// attempt or start.
bool haveOneName(const v1::Header& a, const v1::Header& b);

// Returns whether two streams have the same rendezvous. Fields that either did
// not record are ignored.
bool metInOnePlace(const v1::Header& a, const v1::Header& b);

// Returns whether `met` is specific enough that equal values prove a common
// rendezvous. A name alone is not.
bool hasRendezvous(const v1::Rendezvous& met);

// Returns where a run met, such as "10.0.0.1:29500, run id x"; "" if unknown.
std::string rendezvousText(const v1::Header& header);

// Returns whether two streams may be attempts of one job: same name and, if
// both recorded it, same launcher run id.
bool mayBeOneJob(const v1::Header& a, const v1::Header& b);

// Returns whether `stream` certainly began before `other`. Across hosts, it
// allows for the maximum difference of wall clocks.
bool beganBefore(const TraceStream& stream, const TraceStream& other);

// Returns whether `stream` was still recording when `later`, of the same rank,
// began. Streams on different clocks are never compared. If true, they belong
// to two runs, whatever else is equal.
bool wentOnBeside(const TraceStream& stream, const TraceStream& later,
                  StreamEnds& ends);

// RunStart knows when a run began, and so which other streams had ended before.
// All ranks of a run are alive at the same time, because they wait for each
// other.
class RunStart {
 public:
  // `streams` may belong to several runs. `newest` is the latest stream of the
  // run in question.
  RunStart(const TraceSet& set, const std::vector<std::size_t>& streams,
           std::size_t newest, StreamEnds& ends);

  // Returns whether the run began after `stream` had ended. Always false for a
  // stream with the same start or launcher as the newest, and for a stream
  // without a known end. Wall clocks of different hosts are compared with a
  // margin, and only if the rendezvous does not prove that both met.
  bool isAfter(const TraceStream& stream);

 private:
  const v1::Header& newest_;
  StreamEnds& ends_;
  // Latest start of a stream, by clock.
  absl::flat_hash_map<std::string, std::int64_t> latest_start_ns_;
};

}  // namespace traced
