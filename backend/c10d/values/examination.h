// Examination hashes and summarizes the tensors of one operation.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/examined.h"
#include "base/one_in.h"
#include "c10d/values/call_tensors.h"
#include "c10d/values/staged_tensors.h"
#include "c10d/values/tensor_parts.h"
#include "c10d/values/value_rows.h"
#include "recorder/recorder.h"
#include "ring_io/settings/options.h"

namespace traced {

// Reads the inputs when constructed, which must precede the forwarded call.
// Tensors on a device are copied behind the work of the caller's stream, and
// read later. Keeps the memory of the tensors until the end is examined or
// skipped.
//
// Nothing throws. Thread safety: examineEnd() and skipEnd() from any thread.
class Examination {
 public:
  // Returns whether the operation with this sequence number is examined. All
  // members of a group agree on it. 0: the number is unknown.
  static bool includes(const ValueOptions& options, std::uint64_t seq) {
    return options.any() && isOneIn(options.every, seq);
  }

  // `copies` is of the device that has the tensors; nullptr: the host has them,
  // or they cannot be read.
  Examination(const ValueOptions& options, Operation op, CallTensors call,
              const GroupPlace& place, DeviceCopies* copies) noexcept;
  ~Examination();
  Examination(const Examination&) = delete;
  Examination& operator=(const Examination&) = delete;

  // Returns whether the tensors are copied from a device. The end may then be
  // examined as soon as the caller's stream waits for the operation.
  bool onDevice() const { return copies_ != nullptr; }

  // Records what the constructor read. Must precede the forwarded call.
  void issued(Recorder& recorder, OpId op,
              CommunicatorId communicator) noexcept;

  // Reads the outputs and records them. The caller has observed the end, or on
  // a device the current stream has, and the program has not. Only the first of
  // all calls reads; the others return when it is done. On a device, a call
  // from another stream makes copies doubtful that have not arrived: the
  // program may write the tensors on that stream meanwhile.
  void examineEnd() noexcept;
  // Only on a device: the program may write the tensors on any stream from now
  // on.
  void hostKnowsEnd() noexcept;
  // Records that the outputs were not examined, unless they were.
  void skipEnd(SkipReason reason) noexcept;

 private:
  std::vector<ExaminedTensors> inputs() const;
  std::vector<ExaminedTensors> outputs() const;
  void stage(std::vector<ExaminedTensors>& tensors,
             StagedTensors& staged) const;
  // Copies the outputs, and reads them later.
  void stageEnd();

  const ValueOptions options_;
  const Operation op_;
  const GroupPlace place_;
  DeviceCopies* const copies_;
  CallTensors call_;
  const bool has_outputs_;
  std::optional<ValueRecorder> recorder_;
  CommunicatorId communicator_ = 0;
  // What was read of the inputs and is not recorded yet: rows, or copies that
  // are under way.
  ValueRows rows_;
  std::vector<ExaminedTensors> staged_inputs_;
  std::optional<StagedTensors> staged_;
  bool lacked_memory_ = false;
  std::once_flag end_;
  // The stream that copies the outputs, and whether the program may have
  // written them before they were copied.
  std::optional<DeviceEvents::Stream> end_stream_;
  std::shared_ptr<std::atomic<bool>> doubtful_;
};

}  // namespace traced
