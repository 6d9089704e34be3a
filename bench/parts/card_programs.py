"""Programs that nobody here wrote for being moved, each moved out of the card and back many times, for
bench/move_card. Each of them computes the same thing again and again, compares it with the first time, and
counts in a file how often it was right; what was wrong once stays written there."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

# A training loop: the same fifty steps from the same beginning give the same loss. Two threads of its own
# read arrays meanwhile, beside those that JAX has.
JAX = r"""
import sys, threading, time
import jax, jax.numpy as jnp
out, mib = sys.argv[1], int(sys.argv[2])
held = jnp.full((mib, 1 << 18), 7, dtype=jnp.int32).block_until_ready()
keys = jax.random.split(jax.random.PRNGKey(0), 4)
x, y = jax.random.normal(keys[0], (256, 512)), jax.random.normal(keys[1], (256, 16))
start = [jax.random.normal(keys[2], (512, 512)) * 0.05, jax.random.normal(keys[3], (512, 16)) * 0.05]
def loss(p):
    return jnp.mean((jnp.tanh(x @ p[0]) @ p[1] - y) ** 2)
@jax.jit
def step(p):
    value, slope = jax.value_and_grad(loss)(p)
    return [a - 0.01 * b for a, b in zip(p, slope)], value
def read():
    small = jnp.arange(1024)
    while True:
        assert int(jnp.sum(small)) == 523776
        time.sleep(0.002)
for _ in range(2):
    threading.Thread(target=read, daemon=True).start()
def whole():
    p = start
    for _ in range(50):
        p, value = step(p)
    return float(value), int(jnp.sum(held[0, :8]))
first, count = whole(), 0
while True:
    if whole() != first:
        open(out + ".wrong", "w").write("the loss is another one")
    count += 1
    open(out, "w").write(str(count))
"""

CUPY = r"""
import sys
import cupy
out, mib = sys.argv[1], int(sys.argv[2])
held = cupy.arange(mib << 18, dtype=cupy.uint32)
pinned = cupy.cuda.alloc_pinned_memory(1 << 20)
a = (cupy.arange(1 << 20, dtype=cupy.int64) % 1000).reshape(1024, 1024)
stream = cupy.cuda.Stream(non_blocking=True)
def whole():
    total = 0
    with stream:
        for k in range(20):
            total += int((a * (k + 1) % 977).sum())
    return total, int(held[::4096].astype(cupy.uint64).sum())
first, count = whole(), 0
while True:
    if whole() != first:
        open(out + ".wrong", "w").write("the sum is another one")
    count += 1
    open(out, "w").write(str(count))
"""

# Threads that look at a flag in pinned memory without a pause, as servers and collective libraries do,
# while the main thread writes a pattern and reads it back. On a simulated card there is nothing to write.
POLL = r"""
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
typedef int (*any)();
static void* library;
static any call(const char* name) { return (any)dlsym(library, name); }
static volatile unsigned* flag;
static void* look(void* unused) {
  (void)unused;
  unsigned long turns = 0;
  while (*flag == 0) ++turns;
  return (void*)turns;
}
static void put(const char* name, const char* end, const char* text) {
  char path[4096];
  snprintf(path, sizeof path, "%s%s", name, end);
  FILE* file = fopen(path, "w");
  if (file) { fputs(text, file); fclose(file); }
}
#define MUST(what) must((what), #what)
static void must(int code, const char* what) {
  if (code == 0) return;
  printf("%s: %d\n", what, code);
  exit(1);
}
int main(int count, char** words) {
  size_t bytes = (size_t)atoi(words[2]) << 20;
  int device = 0;
  void *context = 0, *host = 0;
  unsigned long long memory = 0;
  library = dlopen("libcuda.so.1", RTLD_NOW);
  if (count < 3 || !library) { puts("no libcuda.so.1"); return 1; }
  MUST(((int (*)(unsigned))call("cuInit"))(0));
  MUST(((int (*)(int*, int))call("cuDeviceGet"))(&device, 0));
  MUST(((int (*)(void**, int))call("cuDevicePrimaryCtxRetain"))(&context, device));
  MUST(((int (*)(void*))call("cuCtxSetCurrent"))(context));
  MUST(((int (*)(void**, size_t, unsigned))call("cuMemHostAlloc"))(&host, 4096, 3));
  MUST(((int (*)(unsigned long long*, size_t))call("cuMemAlloc_v2"))(&memory, bytes));
  memset(host, 0, 4096);
  flag = (volatile unsigned*)host;
  pthread_t thread;
  for (int i = 0; i < 4; ++i) pthread_create(&thread, 0, look, 0);
  typedef unsigned long long address;
  int (*set)(address, unsigned, size_t) = (int (*)(address, unsigned, size_t))call("cuMemsetD32_v2");
  int (*get)(void*, address, size_t) = (int (*)(void*, address, size_t))call("cuMemcpyDtoH_v2");
  int (*wait)(void) = (int (*)(void))call("cuCtxSynchronize");
  unsigned* buffer = (unsigned*)malloc(1 << 20);
  for (unsigned round = 1;; ++round) {
    char text[32];
    if (set && get) {
      MUST(set(memory, round, bytes / 4));
      MUST(wait());
      for (size_t at = 0; at < bytes; at += bytes / 4) {
        MUST(get(buffer, memory + at, 1 << 20));
        for (size_t i = 0; i < (1 << 18); ++i) {
          if (buffer[i] != round) { put(words[1], ".wrong", "the pattern is another one"); break; }
        }
      }
    } else {
      MUST(wait());
    }
    snprintf(text, sizeof text, "%u", round);
    put(words[1], "", text);
    usleep(2000);
  }
}
"""


def free_compiler():
    for name in ("gcc", "cc", "clang", "nvcc"):
        if shutil.which(name):
            return [name] if name != "nvcc" else [name, "-x", "c"]
    raise RuntimeError("there is no compiler for the program that looks at pinned memory")


def words_of(name, directory, out, mib):
    """The command, after what it needs was put into the directory."""
    if name == "poll":
        source, program = os.path.join(directory, "poll.c"), os.path.join(directory, "poll")
        with open(source, "w", encoding="utf-8") as file:
            file.write(POLL)
        subprocess.run([*free_compiler(), "-o", program, source, "-ldl", "-lpthread"], check=True)
        return [program, out, str(mib)]
    return [sys.executable, "-c", {"jax": JAX, "cupy": CUPY}[name], out, str(mib)]


class Counting:
    """Some copies of a program below one process."""

    def __init__(self, name, directory, mib, copies=1):
        self.directory = directory
        self.outs = [os.path.join(directory, f"count.{i}") for i in range(copies)]
        self.log = open(os.path.join(directory, "log"), "w+", encoding="utf-8")
        environment = {**os.environ, "XLA_PYTHON_CLIENT_PREALLOCATE": "false", "TF_CPP_MIN_LOG_LEVEL": "2"}
        commands = [words_of(name, directory, out, mib) for out in self.outs]
        with open(os.path.join(directory, "commands.json"), "w", encoding="utf-8") as file:
            json.dump(commands, file)
        # A parent that does nothing but wait, so that one or several are moved alike.
        parent = ("import json, subprocess, sys\n"
                  "all = [subprocess.Popen(words) for words in json.load(open(sys.argv[1]))]\n"
                  "sys.exit(max(each.wait() != 0 for each in all))\n")
        self.process = subprocess.Popen([sys.executable, "-c", parent, file.name], stdout=self.log,
                                        stderr=subprocess.STDOUT, env=environment, start_new_session=True)

    def counts(self):
        found = []
        for out in self.outs:
            try:
                with open(out, encoding="utf-8") as file:
                    found.append(int(file.read() or 0))
            except (OSError, ValueError):
                found.append(0)
        return found

    def goes_on(self, seconds):
        """Every copy was right twice more."""
        before, end = self.counts(), time.monotonic() + seconds
        while time.monotonic() < end:
            if all(now >= then + 2 for now, then in zip(self.counts(), before)):
                return True
            if self.process.poll() is not None:
                return False
            time.sleep(0.02)
        return False

    def wrong(self):
        names = [out + ".wrong" for out in self.outs]
        return [open(name, encoding="utf-8").read() for name in names if os.path.exists(name)]

    def said(self):
        self.log.flush()
        with open(self.log.name, encoding="utf-8", errors="replace") as file:
            return file.read()[-1500:]

    def end(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except OSError:
            pass
        self.process.wait()
        self.log.close()


def moved_often(move, program, directory, limits, more=()):
    """`move(direction, directory, pid, more)` gives status, record and time. Ends when one fails."""
    end = time.monotonic() + limits["seconds"]
    found = {"moves": 0, "survived": 0, "out_s": [], "back_s": []}
    while found["moves"] < limits["moves"] and time.monotonic() < end:
        found["moves"] += 1
        for direction in ("out", "back"):
            done = move(direction, directory, program.process.pid, more)
            if done["status"] != 0:
                return {**found, "failed": f"{direction}: status {done['status']}",
                        "error": done["record"].get("error", ""), "said": program.said()}
            found[f"{direction}_s"].append(round(done["wall_s"], 3))
            calls = "checkpoint_us" if direction == "out" else "restore_us"
            found.setdefault(calls, []).append(int(done["record"].get(calls, 0)))
        if not program.goes_on(20):
            return {**found, "failed": f"it does not go on after move {found['moves']}",
                    "said": program.said(), "exit": program.process.poll()}
        found["survived"] += 1
    return {**found, "wrong": program.wrong()}


def one_program(move, name, limits, copies=1, more=()):
    with tempfile.TemporaryDirectory() as directory:
        program = None
        try:
            program = Counting(name, directory, limits["mib"], copies)
            if not program.goes_on(90):
                return {"failed": "it does not start", "said": program.said()}
            return moved_often(move, program, directory, limits, more)
        except Exception as error:  # The other programs are to be moved all the same.
            return {"failed": f"{type(error).__name__}: {error}"}
        finally:
            if program:
                program.end()
