// OwnerRights makes root act as the owner of a file for as long as it exists:
// what the file names is then written only if its owner may write it. Root's
// own groups are given up, too. Does nothing for other users. Changes the
// rights of the calling thread only, and of threads that it starts meanwhile.

#pragma once

#include <sys/types.h>

#include <vector>

namespace traced {

class OwnerRights {
 public:
  // `gid` is that of the file.
  OwnerRights(uid_t uid, gid_t gid);
  ~OwnerRights();
  OwnerRights(const OwnerRights&) = delete;
  OwnerRights& operator=(const OwnerRights&) = delete;

  // False when the rights could not be had.
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
