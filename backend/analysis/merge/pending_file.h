// PendingFile is a file under another name until it is complete, and gone if it
// never is, also when a signal ends the program.

#pragma once

#include <memory>
#include <ostream>
#include <string>

namespace traced {

// RemovedOnSignal has a file removed when a signal ends the program: SIGHUP,
// SIGINT, SIGPIPE or SIGTERM, as far as it would have ended it. For one file at
// a time.
class RemovedOnSignal {
 public:
  explicit RemovedOnSignal(const std::string& path);
  ~RemovedOnSignal();
  RemovedOnSignal(const RemovedOnSignal&) = delete;
  RemovedOnSignal& operator=(const RemovedOnSignal&) = delete;
};

// What becomes of a file that is there already.
enum class Existing { kKept, kReplaced };

// Whether there is anything under a path, be it a link that leads nowhere.
bool isTaken(const std::string& path);

// The other name is new and cannot be foretold, so nobody who may write to the
// folder can have it lead elsewhere.
class PendingFile {
 public:
  // Only a regular file is ever replaced: a device would be lost, and a link
  // says that the file is meant to be elsewhere.
  PendingFile(const std::string& path, Existing existing);
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  std::ostream& stream() { return out_; }
  // Whether all could be written so far.
  bool ok() const { return out_.good(); }
  // Puts the file under its path, once it is on the disk.
  bool commit();
  // Why it is not ok: a sentence that begins with the path.
  std::string problem() const;

 private:
  class Buffer;
  bool putInPlace();

  const std::string path_;
  const Existing existing_;
  std::string pending_;
  // "" unless something under the path must stay.
  std::string refused_;
  std::unique_ptr<Buffer> buffer_;
  std::ostream out_;
  std::unique_ptr<RemovedOnSignal> removed_on_signal_;
  bool committed_ = false;
};

}  // namespace traced
