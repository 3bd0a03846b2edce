// BatchExaminations collects the examined members of a coalesced batch, which
// end with the batch.
//
// Thread safety: any thread.

#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "c10d/values/examination.h"

namespace traced {

using Examinations = std::vector<std::shared_ptr<Examination>>;

class BatchExaminations {
 public:
  // Forgets the members of earlier batches, whose end was not recorded. May
  // throw std::bad_alloc.
  void add(std::uint64_t batch, std::shared_ptr<Examination> member) {
    const std::lock_guard lock(mutex_);
    if (std::exchange(batch_, batch) != batch) members_.clear();
    members_.push_back(std::move(member));
  }
  Examinations take(std::uint64_t batch) noexcept {
    const std::lock_guard lock(mutex_);
    return batch_ == batch ? std::exchange(members_, {}) : Examinations();
  }

 private:
  std::mutex mutex_;
  std::uint64_t batch_ = 0;
  Examinations members_;
};

}  // namespace traced
