// KeptRing watches the ring of a recording process from outside until that
// process has ended.

#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "ring_io/recovery/segment_file.h"
#include "ring_io/support/process_watch.h"
#include "traced/v1/trace.pb.h"

namespace traced {

class KeptRing {
 public:
  enum class State {
    kInUse,
    // The process closed the trace and removed the ring.
    kGone,
    // The process ended without removing the ring. Its content can be
    // recovered, even if the file's name was removed since.
    kLeft,
  };

  // Returns nullptr unless the file is a ring of this user that names its
  // trace.
  static std::unique_ptr<KeptRing> open(const std::string& path);

  SegmentFile& file() const { return *file_; }
  // Returns the absolute path of part 0 of the trace.
  const std::string& tracePath() const { return trace_path_; }
  const v1::Header& header() const { return header_; }

  // Returns kGone if that applies, otherwise kInUse while any process has the
  // ring mapped. Processes that share its memory may outlive the recording one.
  State state() const;
  // Returns the recording process. Returns nullopt after noteEnd() found that
  // it has ended, or if the kernel does not report it.
  std::optional<pid_t> process() const;
  bool processHasEnded() const { return process_has_ended_; }
  // Becomes readable (poll) when the process ends. -1 if no process is known.
  int processFd() const { return process_ ? process_->fd() : -1; }
  // Stores how the process ended, as far as that is known, for the functions
  // around this one. Does nothing while it lives. `state` is the latest result
  // of state(). If it is kLeft, waits up to 50 ms for the process to end.
  void noteEnd(State state);
  const v1::ProcessEnd& processEnd() const { return process_end_; }

 private:
  KeptRing(std::unique_ptr<SegmentFile> file, SegmentContent content);
  // Returns whether the process stopped recording in order.
  bool isClosed() const;

  const std::unique_ptr<SegmentFile> file_;
  const std::uint64_t ring_offset_;
  const std::string trace_path_;
  const v1::Header header_;
  std::unique_ptr<ProcessWatch> process_;
  bool process_has_ended_ = false;
  v1::ProcessEnd process_end_;
};

}  // namespace traced
