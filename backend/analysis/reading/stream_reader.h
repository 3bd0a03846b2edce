// Reads the streams of a set on several threads.

#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "analysis/reading/trace_set.h"
#include "analysis/stream/stream_table.h"

namespace traced {

// Returns the number of threads that this machine and its memory can use for
// the set.
std::size_t readingThreads(const TraceSet& set);

// Receives an index into TraceSet::streams and the stream's table. May move the
// table away.
using VisitStream = std::function<void(std::size_t, StreamTable&)>;

// Called on the loading thread, concurrently with other streams: number of the
// thread from 0, index into TraceSet::streams, and the table. The returned
// function is called when it is the stream's turn.
using WorkOnStream = std::function<std::function<void()>(
    std::size_t thread, std::size_t stream, StreamTable&)>;

// Calls `work` for each of `streams`, several at once. Calls the returned
// functions in order of `streams`, one at a time. A table is valid until its
// function returns.
void workOnStreams(const TraceSet& set, const std::vector<std::size_t>& streams,
                   std::size_t threads, const WorkOnStream& work);

// Calls visit(i, table) for each of `streams`, in this order and one at a time,
// while others are loaded. The tables do not depend on the number of threads.
void readStreams(const TraceSet& set, const std::vector<std::size_t>& streams,
                 std::size_t threads, const VisitStream& visit);
// Same for the selected streams and readingThreads().
void readStreams(const TraceSet& set, const VisitStream& visit);

}  // namespace traced
