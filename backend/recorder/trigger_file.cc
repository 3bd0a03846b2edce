#include "recorder/trigger_file.h"

#include <sys/stat.h>

#include <utility>

namespace traced {

bool TriggerFile::State::operator==(const State& other) const {
  return there == other.there && file == other.file &&
         changed.tv_sec == other.changed.tv_sec &&
         changed.tv_nsec == other.changed.tv_nsec;
}

TriggerFile::TriggerFile(std::string path)
    : path_(std::move(path)),
      last_(readState()),
      polled_(std::chrono::steady_clock::now()) {}

TriggerFile::State TriggerFile::readState() const {
  struct stat status;
  if (path_.empty() || stat(path_.c_str(), &status) != 0) return {};
  return {true, status.st_ino, status.st_mtim};
}

bool TriggerFile::touched(Time now) {
  if (path_.empty() || now - polled_ < kInterval) return false;
  polled_ = now;
  const State before = std::exchange(last_, readState());
  return last_.there && !(last_ == before);
}

}  // namespace traced
