#include "base/threads.h"

#include <future>
#include <vector>

namespace traced {

void inThreads(std::size_t threads,
               const std::function<void(std::size_t)>& work) {
  // The destructor of a std::async future blocks, so even an exception waits
  // for the other threads.
  std::vector<std::future<void>> others;
  for (std::size_t i = 1; i < threads; ++i) {
    others.push_back(std::async(std::launch::async, [&work, i] { work(i); }));
  }
  work(0);
  for (std::future<void>& other : others) other.get();
}

}  // namespace traced
