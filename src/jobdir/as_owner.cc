#include "jobdir/as_owner.h"

#include <grp.h>
#include <pwd.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

namespace gpusched {
namespace {

// The library's setgroups() is for all threads of the process; the kernel's is for one.
bool set_groups_of_thread(const std::vector<gid_t>& groups) {
  return ::syscall(SYS_setgroups, groups.size(), groups.data()) == 0;
}

// Without an account: the group that the job was submitted with, and no other.
std::vector<gid_t> groups_of(const Identity& owner) {
  passwd account{};
  passwd* found = nullptr;
  std::array<char, 16384> text{};
  std::vector<gid_t> groups{owner.gid};
  if (::getpwuid_r(owner.uid, &account, text.data(), text.size(), &found) != 0 ||
      found == nullptr) {
    return groups;
  }
  int count = 256;
  groups.resize(static_cast<std::size_t>(count));
  if (::getgrouplist(account.pw_name, owner.gid, groups.data(), &count) < 0) {
    groups.resize(static_cast<std::size_t>(count));
    if (::getgrouplist(account.pw_name, owner.gid, groups.data(), &count) < 0) {
      return {owner.gid};
    }
  }
  groups.resize(static_cast<std::size_t>(count));
  return groups;
}

}  // namespace

AsOwner::AsOwner(const Identity& owner) {
  if (::geteuid() != 0 || owner.uid == 0) return;
  const int count = ::getgroups(0, nullptr);
  groups_before_.resize(static_cast<std::size_t>(count > 0 ? count : 0));
  if (count > 0 && ::getgroups(count, groups_before_.data()) < 0) groups_before_.clear();
  changed_ = true;
  done_ = set_groups_of_thread(groups_of(owner));
  ::setfsgid(owner.gid);
  // Takes the rights to pass by file permissions away, too.
  ::setfsuid(owner.uid);
  // These calls cannot say that they failed; asked for the impossible, they tell what holds.
  const auto invalid = static_cast<uid_t>(-1);
  done_ = done_ && static_cast<uid_t>(::setfsuid(invalid)) == owner.uid &&
          static_cast<gid_t>(::setfsgid(invalid)) == owner.gid;
}

AsOwner::~AsOwner() {
  if (!changed_) return;
  ::setfsuid(0);
  ::setfsgid(::getegid());
  set_groups_of_thread(groups_before_);
}

}  // namespace gpusched
