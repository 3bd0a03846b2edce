#include "recorder/stacks/loaded_list.h"

#include <pthread.h>

#include <mutex>

namespace traced {
namespace {

// Held while a thread of ours reads the list, and while the process forks.
std::mutex reading;

void beginFork() { reading.lock(); }
void endFork() { reading.unlock(); }

}  // namespace

void visitLoaded(int (*visit)(dl_phdr_info*, std::size_t, void*), void* data) {
  static const int hooked = pthread_atfork(&beginFork, &endFork, &endFork);
  static_cast<void>(hooked);
  const std::lock_guard lock(reading);
  dl_iterate_phdr(visit, data);
}

}  // namespace traced
