// PendingFile writes under a temporary name, and renames the file when it is
// complete. An incomplete file is removed, also when a signal ends the program.

#pragma once

#include <memory>
#include <ostream>
#include <string>

namespace traced {

// RemovedOnSignal removes a file if SIGHUP, SIGINT, SIGPIPE or SIGTERM ends the
// program while it lives. Signals that the program ignores or handles are left
// alone. Only one instance may exist at a time.
class RemovedOnSignal {
 public:
  explicit RemovedOnSignal(const std::string& path);
  ~RemovedOnSignal();
  RemovedOnSignal(const RemovedOnSignal&) = delete;
  RemovedOnSignal& operator=(const RemovedOnSignal&) = delete;
};

// How to treat an existing file.
enum class Existing { kKept, kReplaced };

// Returns whether `path` exists, even as a dangling link.
bool isTaken(const std::string& path);

// The temporary name is new and unpredictable, so another user with write
// access to the folder cannot redirect it.
class PendingFile {
 public:
  // Opens the temporary file. Check ok(): it fails if `path` exists and is
  // kept, or is not a regular file. Replacing a device would destroy it, and
  // replacing a link would ignore its target.
  PendingFile(const std::string& path, Existing existing);
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  std::ostream& stream() { return out_; }
  // Returns whether all writes succeeded so far.
  bool ok() const { return out_.good(); }
  // Syncs the file to disk and renames it to its final path. Returns false on
  // failure. Call at most once, and only if ok().
  bool commit();
  // Returns why ok() or commit() was false, as a sentence that begins with the
  // path.
  std::string problem() const;

 private:
  class Buffer;
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
