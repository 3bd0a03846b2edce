// OwnerRights makes root act as the owner of a file for as long as it exists:
// what the file names is then written only if its owner may write it. Does
// nothing for other users. For programs with one thread.

#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <cstdlib>

namespace traced {

class OwnerRights {
 public:
  OwnerRights(uid_t uid, gid_t gid) : changes_(geteuid() == 0 && uid != 0) {
    if (changes_) held_ = setegid(gid) == 0 && seteuid(uid) == 0;
  }
  ~OwnerRights() {
    // To go on with the wrong rights would be worse than to end.
    if (changes_ && (seteuid(0) != 0 || setegid(0) != 0)) std::abort();
  }
  OwnerRights(const OwnerRights&) = delete;
  OwnerRights& operator=(const OwnerRights&) = delete;

  // False when the rights could not be had.
  bool held() const { return held_; }

 private:
  const bool changes_;
  bool held_ = true;
};

}  // namespace traced
