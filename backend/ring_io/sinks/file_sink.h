// FileSink appends chunks to DIR/JOB/rank-R.attempt-A.HOST.PID.traced.
//
// A file is never overwritten: when the name is taken, PID gets a suffix. With
// a bound on the space, a new part is begun at half of it and the part before
// the last is deleted, so that at least the newest half is always there.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "ring_io/settings/options.h"
#include "ring_io/settings/process_info.h"
#include "ring_io/sinks/sink.h"
#include "ring_io/sinks/trace_parts.h"

namespace traced {

class FileSink : public Sink {
 public:
  // Makes the directory and the file of part 0. The error is one sentence.
  static Result<std::unique_ptr<FileSink>> create(
      const Options& options, const ProcessIdentity& process,
      const HostInfo& host);
  // Goes on behind the last of `parts`, which exist, in order; a file is cut to
  // its part's bytes. `deleted` records were in parts before.
  static Result<std::unique_ptr<FileSink>> resume(
      const std::vector<TracePart>& parts, std::uint64_t max_bytes,
      std::uint64_t deleted);
  ~FileSink() override;

  bool append(const std::string& chunk, std::uint64_t records) override;
  std::uint64_t largestChunk() const override;
  std::uint64_t partsBegun() const override { return current_.number; }
  std::uint64_t recordsDeleted() const override { return records_deleted_; }
  std::string location() const override { return current_.path; }

 private:
  FileSink(std::string stem, std::uint64_t max_bytes, int fd);

  // Each is false with errno set.
  bool beginPart();
  bool deletePrevious();
  bool writeWhole(const std::string& chunk);
  bool haveFile();

  bool isOurs(int fd) const;
  void take(int fd);

  const std::string stem_;  // path without ".part-N" and ".traced"
  const std::uint64_t max_bytes_;
  int fd_ = -1;
  // What fd_ was opened as.
  std::uint64_t device_ = 0;
  std::uint64_t inode_ = 0;
  TracePart current_;
  TracePart previous_;  // path is empty when there is none
  std::uint64_t records_deleted_ = 0;
};

}  // namespace traced
