// Reads streams of a set, in threads.

#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "analysis/reading/trace_set.h"
#include "analysis/stream/stream_table.h"

namespace traced {

// Threads that are of use to a set on this machine, and in its memory.
std::size_t readingThreads(const TraceSet& set);

// Is shown a stream of TraceSet::streams, by its index, and may take the table.
using VisitStream = std::function<void(std::size_t, StreamTable&)>;

// Is given a stream by the thread that loaded it, while others are at other
// streams: which thread, from 0, which stream of TraceSet::streams, and its
// table. What it returns is called when it is the stream's turn.
using WorkOnStream = std::function<std::function<void()>(
    std::size_t thread, std::size_t stream, StreamTable&)>;

// Calls work for each of `streams`, several at once, and what it returned in
// their order and never two at once. A table lives until then.
void workOnStreams(const TraceSet& set, const std::vector<std::size_t>& streams,
                   std::size_t threads, const WorkOnStream& work);

// Calls visit(i, table) for each of `streams`, in this order and never two at
// once, while others are loaded. What is shown does not depend on how many
// threads there are.
void readStreams(const TraceSet& set, const std::vector<std::size_t>& streams,
                 std::size_t threads, const VisitStream& visit);
// The selected ones, with as many threads as are of use.
void readStreams(const TraceSet& set, const VisitStream& visit);

}  // namespace traced
