// KeptRing is the ring of a process that records, watched from outside until
// that process has ended.

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
    // Its process closed the trace and removed the ring.
    kGone,
    // Its process has ended and left the ring. Somebody may have removed its
    // name since: the content can still be recovered.
    kLeft,
  };

  // nullptr when it is no ring of this user's that says whose it is.
  static std::unique_ptr<KeptRing> open(const std::string& path);

  SegmentFile& file() const { return *file_; }
  // Part 0, absolute.
  const std::string& tracePath() const { return trace_path_; }
  const v1::Header& header() const { return header_; }

  // kInUse as long as anything has the ring: a process may end before others
  // that have its memory.
  State state() const;
  // The process that records to it, while it lives; absent where the kernel
  // does not say, or it has ended.
  std::optional<pid_t> process() const;
  bool processHasEnded() const { return process_has_ended_; }
  // To be polled; -1 where there is no process to wait for.
  int processFd() const { return process_ ? process_->fd() : -1; }
  // Notes how the process ended, as far as that can be known; does nothing
  // while it lives. `state` is what was just found.
  void noteEnd(State state);
  const v1::ProcessEnd& processEnd() const { return process_end_; }

 private:
  KeptRing(std::unique_ptr<SegmentFile> file, SegmentContent content);
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
