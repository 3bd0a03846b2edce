// OwnerRights makes root act as the owner of a file during its lifetime. Files
// that the owner may not write can then not be written.
// It also drops root's supplementary groups. It does nothing for other users.
// It changes only the calling thread and threads that it starts meanwhile. The
// destructor aborts the process if it cannot restore root's rights.

#pragma once

#include <sys/types.h>

#include <vector>

namespace traced {

class OwnerRights {
 public:
  // `gid` is the group of the file.
  OwnerRights(uid_t uid, gid_t gid);
  ~OwnerRights();
  OwnerRights(const OwnerRights&) = delete;
  OwnerRights& operator=(const OwnerRights&) = delete;

  // Returns false if the rights could not be changed.
  bool held() const { return held_; }

 private:
  bool actAs(uid_t uid, gid_t gid);

  const bool changes_;
  const gid_t own_gid_;
  const std::vector<gid_t> own_groups_;
  bool gave_up_groups_ = false;
  bool held_ = true;
};

}  // namespace traced
