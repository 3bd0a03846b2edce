#include "c10d/values/examination.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/transfers.h"
#include "c10d/values/storage_address.h"
#include "c10d/values/tensor_memory.h"
#include "recorder/devices.h"

namespace traced {
namespace {

// Returns whether some parts share memory, such as in all_gather([t] * n, x).
// Only the part that was written last is then there.
bool overlap(const PartList& list) {
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> spans;
  for (const TensorPart& part : list.parts) {
    if (part.begin == part.end || !part.tensor.has_storage()) continue;
    const auto storage =
        reinterpret_cast<std::uintptr_t>(storageAddress(part.tensor));
    const std::uint64_t element_bytes = part.tensor.element_size();
    const auto offset =
        static_cast<std::uint64_t>(part.tensor.storage_offset() + part.begin);
    const std::uintptr_t begin = storage + offset * element_bytes;
    spans.emplace_back(begin, begin + byteSize(part));
  }
  std::sort(spans.begin(), spans.end());
  for (std::size_t i = 1; i < spans.size(); ++i) {
    if (spans[i].first < spans[i - 1].second) return true;
  }
  return false;
}

void recordTensors(const ValueRecorder& recorder,
                   const std::vector<ExaminedTensors>& tensors) noexcept {
  try {
    recorder.record(rowsOf(tensors));
  } catch (...) {
    recorder.recordSkipped(tensors.front().at, SkipReason::kOutOfMemory);
  }
}

}  // namespace

Examination::Examination(const ValueOptions& options, Operation op,
                         CallTensors call, const GroupPlace& place,
                         DeviceCopies* copies) noexcept
    : options_(options),
      op_(op),
      place_(place),
      copies_(copies),
      call_(std::move(call)),
      has_outputs_(!call_.outputLists().empty()) {
  try {
    staged_inputs_ = inputs();
    if (copies_) {
      stage(staged_inputs_, staged_.emplace(*copies_));
    } else {
      rows_ = rowsOf(std::exchange(staged_inputs_, {}));
    }
  } catch (...) {
    lacked_memory_ = true;
  }
}

Examination::~Examination() {
  if (recorder_) skipEnd(SkipReason::kNoEnd);
}

std::vector<ExaminedTensors> Examination::inputs() const {
  ExaminedTensors issue{ExaminedAt::kIssue, {}, {}, call_.addsUp()};
  if (options_.hashes) issue.hashed = sentParts(op_, call_, place_);
  if (options_.statistics) issue.summarized = readTensors(op_, call_, place_);
  return {std::move(issue)};
}

std::vector<ExaminedTensors> Examination::outputs() const {
  ExaminedTensors end{ExaminedAt::kEnd, {}, {}, call_.addsUp()};
  ExaminedTensors input_end{ExaminedAt::kInputEnd, {}, {}};
  if (options_.hashes) {
    end.hashed = receivedParts(op_, call_, place_);
    if (overlap(end.hashed)) {
      for (TensorPart& part : end.hashed.parts) {
        part.skipped = SkipReason::kLayout;
      }
    }
    if (!call_.sharesStorage()) {
      input_end.hashed = sentParts(op_, call_, place_);
    }
  }
  if (options_.statistics) end.summarized = filledTensors(op_, call_, place_);
  return {std::move(end), std::move(input_end)};
}

void Examination::stage(std::vector<ExaminedTensors>& tensors,
                        StagedTensors& staged) const {
  for (ExaminedTensors& each : tensors) {
    staged.stage(each.hashed, /*contiguous=*/true);
    staged.stage(each.summarized, /*contiguous=*/false);
  }
}

void Examination::issued(Recorder& recorder, OpId op,
                         CommunicatorId communicator) noexcept {
  communicator_ = communicator;
  recorder_.emplace(ValueRecorder{
      recorder, op, options_.hashes && transferKind(op_) != TransferKind::kNone,
      options_.statistics && has_outputs_});
  try {
    if (!lacked_memory_ && staged_) {
      staged_->whenArrived(
          [to = *recorder_, tensors = std::move(staged_inputs_)](bool came) {
            if (came) return recordTensors(to, tensors);
            to.recordSkipped(ExaminedAt::kIssue, SkipReason::kNotCopied);
          });
    } else if (!lacked_memory_) {
      recorder_->record(std::exchange(rows_, {}));
    }
  } catch (...) {
    lacked_memory_ = true;
  }
  staged_.reset();
  if (lacked_memory_) {
    recorder_->recordSkipped(ExaminedAt::kIssue, SkipReason::kOutOfMemory);
  }
}

void Examination::examineEnd() noexcept {
  bool is_first = false;
  std::call_once(end_, [&] {
    is_first = true;
    try {
      if (copies_) {
        stageEnd();
      } else {
        recorder_->record(rowsOf(outputs()));
      }
    } catch (...) {
      recorder_->recordSkipped(ExaminedAt::kEnd, SkipReason::kOutOfMemory);
    }
    call_ = {};
  });
  if (is_first || !doubtful_) return;
  if (copies_->streamState().stream != end_stream_) doubtful_->store(true);
}

void Examination::hostKnowsEnd() noexcept {
  skipEnd(SkipReason::kDevice);
  if (doubtful_) doubtful_->store(true);
}

// After an abort, the stream goes on without the results.
void Examination::stageEnd() {
  doubtful_ = std::make_shared<std::atomic<bool>>(false);
  StagedTensors staged(*copies_);
  end_stream_ = staged.stream();
  std::vector<ExaminedTensors> tensors = outputs();
  stage(tensors, staged);
  staged.whenArrived([to = *recorder_, tensors = std::move(tensors),
                      communicator = communicator_,
                      doubtful = doubtful_](bool came) {
    if (!came || doubtful->load()) {
      return to.recordSkipped(ExaminedAt::kEnd, SkipReason::kNotCopied);
    }
    if (to.recorder.devices().wasAborted(communicator)) {
      return to.recordSkipped(ExaminedAt::kEnd, SkipReason::kFailed);
    }
    recordTensors(to, tensors);
  });
}

void Examination::skipEnd(SkipReason reason) noexcept {
  std::call_once(end_, [&] {
    if (recorder_) recorder_->recordSkipped(ExaminedAt::kEnd, reason);
    call_ = {};
  });
}

}  // namespace traced
