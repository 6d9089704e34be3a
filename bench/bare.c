// The smallest programs a benchmark needs, so that the ruler costs next to nothing:
//   bare stamp PIPE          write "first-instruction-ns end-ns" of CLOCK_MONOTONIC to PIPE, exit
//   bare loop N K COMMAND…   run COMMAND N times, K at once, with nothing around it; print seconds
//   bare exit                start and end
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char** environ;

static long long monotonic_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static int stamp(const char* path, long long first) {
  const int pipe = open(path, O_WRONLY | O_CLOEXEC);
  if (pipe < 0) return 1;
  char line[64];
  const int length = snprintf(line, sizeof line, "%lld %lld\n", first, monotonic_ns());
  return write(pipe, line, (size_t)length) == length ? 0 : 1;
}

static int loop(long count, long at_once, char** command) {
  const long long start = monotonic_ns();
  long begun = 0;
  for (long ended = 0; ended < count; ++ended) {
    for (; begun < count && begun - ended < at_once; ++begun) {
      pid_t pid;
      if (posix_spawnp(&pid, command[0], NULL, NULL, command, environ) != 0) return 1;
    }
    if (wait(NULL) < 0) return 1;
  }
  printf("%.6f\n", (double)(monotonic_ns() - start) / 1e9);
  return 0;
}

int main(int argc, char** argv) {
  const long long first = monotonic_ns();
  if (argc == 3 && strcmp(argv[1], "stamp") == 0) return stamp(argv[2], first);
  if (argc >= 5 && strcmp(argv[1], "loop") == 0)
    return loop(atol(argv[2]), atol(argv[3]), argv + 4);
  return argc == 2 && strcmp(argv[1], "exit") == 0 ? 0 : 64;
}
