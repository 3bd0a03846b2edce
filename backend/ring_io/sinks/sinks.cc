#include "ring_io/sinks/sinks.h"

#include <algorithm>
#include <utility>

#include "base/log_message.h"

namespace traced {

void Sinks::add(std::shared_ptr<Sink> sink) {
  const std::lock_guard lock(mutex_);
  members_.push_back({std::move(sink)});
}

void Sinks::remove(const Sink& sink) {
  const std::lock_guard lock(mutex_);
  std::erase_if(members_,
                [&](const Member& member) { return &*member.sink == &sink; });
}

bool Sinks::any() const {
  const std::lock_guard lock(mutex_);
  return !members_.empty();
}

std::vector<std::shared_ptr<Sink>> Sinks::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Sink>> sinks;
  for (const Member& member : members_) sinks.push_back(member.sink);
  return sinks;
}

void Sinks::append(const std::string& chunk, std::uint64_t records) noexcept {
  try {
    // Without the lock, so that a slow sink blocks no other thread.
    for (const auto& sink : all()) {
      bool taken = false;
      try {
        taken = sink->append(chunk, records);
      } catch (...) {
      }
      if (taken || !countRefusal(*sink)) continue;
      logMessage(
          {sink->location(),
           " did not take a part of the trace; the job and the trace file go "
           "on, what it misses is counted"});
    }
  } catch (...) {  // out of memory: the file still gets the chunk
  }
}

// Returns whether it is the sink's first refusal.
bool Sinks::countRefusal(const Sink& sink) {
  const std::lock_guard lock(mutex_);
  for (Member& member : members_) {
    if (&*member.sink == &sink) return member.refused++ == 0;
  }
  return false;
}

std::uint64_t Sinks::refused(const Sink& sink) const {
  const std::lock_guard lock(mutex_);
  for (const Member& member : members_) {
    if (&*member.sink == &sink) return member.refused;
  }
  return 0;
}

}  // namespace traced
