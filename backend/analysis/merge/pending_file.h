// PendingFile writes under a temporary name, and renames the file when it is
// complete. An incomplete file is removed, also when a signal ends the program.

#pragma once

#include <memory>
#include <ostream>
#include <string>

namespace traced {

// RemovedOnSignal watches a file: it removes the file if SIGHUP, SIGINT,
// SIGPIPE or SIGTERM ends the program. Signals that the program ignores or
// handles are left alone. Only one instance may exist at a time.
class RemovedOnSignal {
 public:
  // Starts watching. Does nothing if the path has PATH_MAX bytes or more.
  explicit RemovedOnSignal(const std::string& path);
  // Stops watching. Does not remove the file.
  ~RemovedOnSignal();
  RemovedOnSignal(const RemovedOnSignal&) = delete;
  RemovedOnSignal& operator=(const RemovedOnSignal&) = delete;
};

// How to treat an existing file.
enum class Existing { kKept, kReplaced };

// Returns whether `path` exists, even as a dangling link.
bool isTaken(const std::string& path);

// PendingFile writes a file that appears under its path only at commit(). Until
// then it has a temporary name in the same folder. That name is new and
// unpredictable, so another user with write access to the folder cannot
// redirect it. Only one instance may exist at a time, as it uses
// RemovedOnSignal.
class PendingFile {
 public:
  // Opens the temporary file. Check ok(): it fails if `path` exists and is
  // kept, or is not a regular file. Replacing a device would destroy it, and
  // replacing a link would ignore its target.
  PendingFile(const std::string& path, Existing existing);
  // Removes the temporary file if it was not committed.
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  std::ostream& stream() { return out_; }
  // Returns whether all writes succeeded so far.
  bool ok() const { return out_.good(); }
  // Syncs the file to disk and renames it to its final path. Returns false on
  // failure. Call at most once, and only if ok().
  bool commit();
  // Returns why ok() or commit() was false, as "PATH: REASON". Call it only
  // then.
  std::string problem() const;

 private:
  class Buffer;
  // Renames the temporary file to its final path. Fails if an existing file is
  // kept and one appeared meanwhile; sets refused_ then. File systems such as
  // NFS cannot rename on this condition: a file that appears right before the
  // rename is replaced.
  bool putInPlace();

  const std::string path_;
  const Existing existing_;
  std::string pending_;
  // Why the existing file must stay; "" if it may be replaced.
  std::string refused_;
  std::unique_ptr<Buffer> buffer_;
  std::ostream out_;
  std::unique_ptr<RemovedOnSignal> removed_on_signal_;
  bool committed_ = false;
};

}  // namespace traced
