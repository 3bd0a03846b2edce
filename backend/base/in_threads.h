// What several threads do together.

#pragma once

#include <cstddef>
#include <functional>

namespace traced {

// Calls work(i) for each i below `threads`, which is above 0: work(0) in this
// thread, each other in one of its own. Returns when all have; if any of them
// threw, throws what the first of these did.
void inThreads(std::size_t threads,
               const std::function<void(std::size_t)>& work);

}  // namespace traced
