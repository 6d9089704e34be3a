// Locks on single bytes of the world's file. They belong to an open file description, so the
// kernel releases them when the last process that has it is gone, however it ended. The bytes lie
// far behind the end of the file: nothing is ever written there.
#pragma once

#include <fcntl.h>

#include <cstddef>

namespace gpusched::simdriver {

inline constexpr off_t kLockBase = off_t{1} << 40;
inline constexpr off_t kChangeByte = kLockBase;
inline constexpr off_t kSlotBytes = kLockBase + 4096;      // One per slot: its process lives.
inline constexpr off_t kRequestBytes = kLockBase + 65536;  // One per slot: somebody moves it.

enum class LockWait { kNo, kYes };

inline bool lock_byte(int fd, off_t byte, LockWait wait, short type = F_WRLCK) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  return ::fcntl(fd, wait == LockWait::kYes ? F_OFD_SETLKW : F_OFD_SETLK, &lock) == 0;
}
inline void unlock_byte(int fd, off_t byte) { lock_byte(fd, byte, LockWait::kNo, F_UNLCK); }

// F_UNLCK: nobody else has it; else the kind of lock that somebody has.
inline short lock_on_byte(int fd, off_t byte) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  if (::fcntl(fd, F_OFD_GETLK, &lock) != 0) return F_UNLCK;
  return lock.l_type;
}

}  // namespace gpusched::simdriver
