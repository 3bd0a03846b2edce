#include "ring_io/recovery/owner_rights.h"

#include <grp.h>
#include <pwd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace traced {
namespace {

// Returns the supplementary groups of this process.
std::vector<gid_t> ownGroups() {
  const int count = getgroups(0, nullptr);
  std::vector<gid_t> groups(static_cast<std::size_t>(std::max(count, 0)));
  const int got = getgroups(count, groups.data());
  groups.resize(static_cast<std::size_t>(std::max(got, 0)));
  return groups;
}

// Returns all groups of the user, the primary one first. Returns none if the
// user is unknown.
std::vector<gid_t> groupsOf(uid_t uid) {
  const passwd* user = getpwuid(uid);
  if (!user) return {};
  std::vector<gid_t> groups(32);
  int count = static_cast<int>(groups.size());
  if (getgrouplist(user->pw_name, user->pw_gid, groups.data(), &count) < 0) {
    groups.resize(static_cast<std::size_t>(count));
    getgrouplist(user->pw_name, user->pw_gid, groups.data(), &count);
  }
  groups.resize(static_cast<std::size_t>(count));
  return groups;
}

// Uses the system calls, because the libc functions change all threads.
bool setEffectiveUid(uid_t uid) {
  return syscall(SYS_setresuid, -1, uid, -1) == 0;
}

bool setEffectiveGid(gid_t gid) {
  return syscall(SYS_setresgid, -1, gid, -1) == 0;
}

bool setGroups(const std::vector<gid_t>& groups) {
  return syscall(SYS_setgroups, groups.size(), groups.data()) == 0;
}

}  // namespace

OwnerRights::OwnerRights(uid_t uid, gid_t gid)
    : changes_(geteuid() == 0 && uid != 0),
      own_gid_(getegid()),
      own_groups_(ownGroups()) {
  if (changes_) held_ = actAs(uid, gid);
}

OwnerRights::~OwnerRights() {
  if (!changes_) return;
  const bool back = setEffectiveUid(0) && setEffectiveGid(own_gid_) &&
                    (!gave_up_groups_ || setGroups(own_groups_));
  // Continuing with the wrong rights would be worse than aborting.
  if (!back) std::abort();
}

bool OwnerRights::actAs(uid_t uid, gid_t gid) {
  const std::vector<gid_t> groups = groupsOf(uid);
  // A file may have the group of its folder, which its owner is not in.
  const bool is_in = groups.empty() || std::find(groups.begin(), groups.end(),
                                                 gid) != groups.end();
  gave_up_groups_ = setGroups(groups);
  return gave_up_groups_ && setEffectiveGid(is_in ? gid : groups.front()) &&
         setEffectiveUid(uid);
}

}  // namespace traced
