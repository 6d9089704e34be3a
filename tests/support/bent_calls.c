/* For tests: loaded into a daemon before the C library, it makes calls fail or lie that only a
 * broken machine would bend. Files and variables say what is bent, so a test can change its mind:
 *   BENT_SYNC   while this file exists, syncs of the store's log fail as on a dying disk
 *   BENT_FULL   while this file exists, nothing can be written into the store's log: no room
 *   BENT_CLOCK  so many seconds are added to the time of day */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int is_bent(const char* variable, int file) {
  const char* flag = getenv(variable);
  char link[64], path[4096];
  if (flag == NULL || access(flag, F_OK) != 0) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = '\0';
  return strstr(path, "gpusched.db-wal") != NULL;
}

int fdatasync(int file) {
  static int (*real)(int);
  if (real == NULL) real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  if (!is_bent("BENT_SYNC", file)) return real(file);
  errno = EIO;
  return -1;
}

int fsync(int file) {
  static int (*real)(int);
  if (real == NULL) real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  if (!is_bent("BENT_SYNC", file)) return real(file);
  errno = EIO;
  return -1;
}

ssize_t pwrite(int file, const void* bytes, size_t count, off_t at) {
  static ssize_t (*real)(int, const void*, size_t, off_t);
  if (real == NULL) real = (ssize_t(*)(int, const void*, size_t, off_t))dlsym(RTLD_NEXT, "pwrite");
  if (!is_bent("BENT_FULL", file)) return real(file, bytes, count, at);
  errno = ENOSPC;
  return -1;
}

ssize_t pwrite64(int file, const void* bytes, size_t count, off_t at) {
  return pwrite(file, bytes, count, at);
}

int clock_gettime(clockid_t clock, struct timespec* time) {
  static int (*real)(clockid_t, struct timespec*);
  if (real == NULL) real = (int (*)(clockid_t, struct timespec*))dlsym(RTLD_NEXT, "clock_gettime");
  const int done = real(clock, time);
  const char* ahead = getenv("BENT_CLOCK");
  if (done == 0 && clock == CLOCK_REALTIME && ahead != NULL) time->tv_sec += atol(ahead);
  return done;
}
