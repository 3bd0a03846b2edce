// FileSink appends chunks to DIR/JOB/rank-R.attempt-A.HOST.PID.traced.
//
// A file is never overwritten: if the name exists, PID gets a suffix. If the
// space is limited, a new part begins at half of it and the part before the
// last is deleted. At least the newest half always remains.

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
  // Creates the directory and the file of part 0. The error is one sentence.
  static Result<std::unique_ptr<FileSink>> create(
      const Options& options, const ProcessIdentity& process,
      const HostInfo& host);
  // Continues after the last of `parts`, which must exist and be in order. The
  // last file is truncated to its part's `bytes`. If the space is limited, the
  // parts before the last two are deleted. `deleted`: number of records in
  // parts deleted earlier. The error is one sentence.
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

  // Each returns false and sets errno on failure. writeWhole() truncates the
  // file after a partial write. haveFile() reopens the file if the program
  // closed its descriptor, and fails with ENOENT if the file was removed.
  bool beginPart();
  bool deletePrevious();
  bool writeWhole(const std::string& chunk);
  bool haveFile();

  // Returns whether the descriptor refers to the file that was taken last.
  bool isOurs(int fd) const;
  // Closes the current file and continues with `fd`.
  void take(int fd);

  const std::string stem_;  // path without ".part-N" and ".traced"
  const std::uint64_t max_bytes_;
  int fd_ = -1;
  // Identity of the file that fd_ was opened on.
  std::uint64_t device_ = 0;
  std::uint64_t inode_ = 0;
  TracePart current_;
  TracePart previous_;  // path is empty if no previous part exists
  std::uint64_t records_deleted_ = 0;
};

}  // namespace traced
