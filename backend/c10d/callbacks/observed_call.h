// A call that the program observes, and its events.

#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/operation.h"
#include "c10d/callbacks/call_shapes.h"
#include "c10d/values/call_tensors.h"
#include "ring_io/ring/call_description.h"
#include "ring_io/ring/group_info.h"

namespace traced {

// One registered callback. The function itself belongs to Python.
struct Registration {
  // What the callback receives.
  struct Filter {
    std::set<Operation> ops;       // empty: all
    std::set<std::string> groups;  // labels; empty: all
    std::uint64_t every = 1;       // see isOneIn()
    std::uint64_t seq = 0;         // only this number; 0: all
    bool tensors = false;          // it also receives the tensors
  };

  Registration(std::uint64_t new_id, Filter new_filter)
      : id(new_id), filter(std::move(new_filter)) {}

  const std::uint64_t id;
  const Filter filter;
  // Events that the callback missed: too many were queued, or memory was short.
  std::atomic<std::uint64_t> dropped{0};
};

using Registrations = std::vector<std::shared_ptr<Registration>>;

inline bool wantTensors(const Registrations& registrations) {
  return std::any_of(registrations.begin(), registrations.end(),
                     [](const auto& each) { return each->filter.tensors; });
}

struct ObservedCall {
  Registrations registrations;
  Operation op{};
  std::uint64_t seq = 0;  // 0: none
  std::shared_ptr<const GroupInfo> group;
  CallDescription::Fields fields;
  CallShapes shapes;
  // Empty unless a callback wants them. The end takes them.
  CallTensors tensors;
  std::mutex tensors_mutex;
  std::atomic<bool> ended{false};
  // Whether the issue was queued. The end then follows it through the queue.
  mutable std::atomic<bool> issue_queued{false};

  // Returns the tensors, and leaves none.
  CallTensors takeTensors() noexcept {
    const std::lock_guard lock(tensors_mutex);
    return std::exchange(tensors, {});
  }
};

// Counts an event that no callback receives.
inline void countDropped(const ObservedCall& call) noexcept {
  for (const auto& registration : call.registrations) {
    registration->dropped.fetch_add(1, std::memory_order_relaxed);
  }
}

struct CallEvent {
  std::shared_ptr<const ObservedCall> call;
  bool is_end = false;
  std::optional<bool> failed;  // known at some ends
  CallTensors tensors;
};

}  // namespace traced
