// What calls do besides being recorded, if a setting or the program asks for
// it.

#pragma once

#include <atomic>
#include <memory>

#include "recorder/tool_ranges.h"
#include "ring_io/settings/options.h"

namespace traced {

struct CallExtras {
  // nullptr unless other tools or NCCL receive operations.
  const ToolRanges* ranges = nullptr;
  ValueOptions values;
  // The program observes operations (c10d/callbacks/observers.h).
  bool observed = false;
};

// Holds the extras of one recorder. Thread safety: any thread.
class SwitchedExtras {
 public:
  SwitchedExtras(const Options& options, const v1::Header& header)
      : ranges_(ToolRanges::areWanted(options)
                    ? std::make_unique<const ToolRanges>(options, header)
                    : nullptr),
        by_settings_{ranges_.get(), options.values, false},
        also_observed_{ranges_.get(), options.values, true},
        has_settings_(ranges_ || options.values.any()) {
    setObserved(false);
  }

  // Returns nullptr if calls are only recorded. The result stays valid as long
  // as this object, because another thread may be using it during a switch.
  const CallExtras* current() const noexcept {
    return current_.load(std::memory_order_acquire);
  }
  void setObserved(bool observed) noexcept {
    const CallExtras* const otherwise = has_settings_ ? &by_settings_ : nullptr;
    current_.store(observed ? &also_observed_ : otherwise,
                   std::memory_order_release);
  }

 private:
  std::atomic<const CallExtras*> current_{nullptr};
  const std::unique_ptr<const ToolRanges> ranges_;
  const CallExtras by_settings_;
  const CallExtras also_observed_;
  const bool has_settings_;
};

}  // namespace traced
