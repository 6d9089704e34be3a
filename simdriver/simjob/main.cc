// gpusched-simjob: behaves like a training job on simulated cards. It takes memory through the
// CUDA driver's interface, slows down when its cards are over-committed, dies as PyTorch does when
// a card is full, and goes on after a checkpoint and restore without noticing.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>
#include <thread>

#include "os/fd.h"
#include "simdriver/simjob/driver.h"
#include "simdriver/simjob/options.h"

namespace gpusched::simjob {
namespace {

using Clock = std::chrono::steady_clock;

// The number of steps done, in a file that never holds anything else.
class StepsFile {
 public:
  static Result<StepsFile> open(const Options& options) {
    StepsFile file;
    if (options.steps_file.empty()) return file;
    if (options.resume) std::ifstream(options.steps_file) >> file.done_;
    file.fd_ = Fd(::open(options.steps_file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (!file.fd_ || (!options.resume && ::ftruncate(file.fd_.get(), 0) != 0)) {
      return failure(ErrorCode::kIo,
                     fmt::format("open {}: {}", options.steps_file, std::strerror(errno)));
    }
    return file;
  }
  std::uint64_t done() const { return done_; }
  bool add_one() {
    ++done_;
    if (!fd_) return true;
    // Numbers only grow, so the new one covers the old one.
    const std::string text = fmt::format("{}\n", done_);
    return ::pwrite(fd_.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
  }

 private:
  Fd fd_;
  std::uint64_t done_ = 0;
};

std::string gib(std::uint64_t bytes) {
  const double number = static_cast<double>(bytes);
  return number >= 1U << 30 ? fmt::format("{:.2f} GiB", number / (1U << 30))
                            : fmt::format("{:.2f} MiB", number / (1U << 20));
}

// Whoever does not come to its next step for so long has not been running.
constexpr std::chrono::milliseconds kStopped{200};

class Job {
 public:
  Job(const Options& options, Driver& driver) : options_(options), driver_(driver) {
    const auto by_ramp =
        options.ramp.count() > 0 ? std::max<long>(options.ramp / options.step, 2) : 1;
    pieces_ = options.pieces > 0 ? options.pieces : static_cast<int>(std::min<long>(by_ramp, 1000));
  }

  // Takes what the ramp allows by now. Time in which it was stopped does not count. False: it did
  // not fit, and the person has been told.
  bool grow(Clock::time_point now) {
    const Clock::duration stopped = std::max<Clock::duration>(5 * options_.step, kStopped);
    if (last_) ran_ += std::min(now - *last_, stopped);
    last_ = now;
    const double part = options_.ramp.count() == 0
                            ? 1.0
                            : std::min(1.0, ran_ / std::chrono::duration<double>(options_.ramp));
    const int wanted = std::max(1, static_cast<int>(part * pieces_));
    while (taken_ < wanted) {
      const std::uint64_t bytes = piece(taken_);
      for (int device = 0; bytes > 0 && device < options_.gpus; ++device) {
        if (const int code = driver_.allocate(device, bytes, options_.managed); code != 0) {
          complain(device, bytes, code);
          return false;
        }
      }
      held_ += bytes;
      ++taken_;
    }
    return true;
  }

  bool step() {
    const auto us = std::chrono::duration_cast<std::chrono::microseconds>(options_.step);
    const int code = driver_.step(options_.util_percent, static_cast<unsigned>(us.count()));
    if (code != 0) {
      fmt::print(stderr, "RuntimeError: CUDA error: {}\n", driver_.sentence_of(code));
    }
    return code == 0;
  }

 private:
  // The last one has what is left over.
  std::uint64_t piece(int number) const {
    const auto count = static_cast<std::uint64_t>(pieces_);
    const std::uint64_t each = options_.vram_bytes / count;
    return number + 1 == pieces_ ? options_.vram_bytes - each * (count - 1) : each;
  }

  void complain(int device, std::uint64_t bytes, int code) {
    if (code != 2) {
      fmt::print(stderr, "RuntimeError: CUDA error: {}\n", driver_.sentence_of(code));
      return;
    }
    const MemoryInfo memory = driver_.memory_of(device);
    fmt::print(stderr,
               "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {}. GPU {} has a "
               "total capacity of {} of which {} is free. Including non-PyTorch memory, this "
               "process has {} memory in use.\n",
               gib(bytes), device, gib(memory.total_bytes), gib(memory.free_bytes), gib(held_));
  }

  const Options& options_;
  Driver& driver_;
  int pieces_ = 1;
  int taken_ = 0;
  Clock::duration ran_{0};
  std::optional<Clock::time_point> last_;
  std::uint64_t held_ = 0;
};

// What tells a program of PyTorch's from outside is what it has mapped, and so does this one. One
// with busy threads is not of that kind.
void look_like_pytorch() {
  const Fd name(::memfd_create("libtorch_cuda.so", MFD_CLOEXEC));
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  if (!name || ::ftruncate(name.get(), static_cast<off_t>(page)) != 0) return;
  ::mmap(nullptr, page, PROT_READ, MAP_PRIVATE, name.get(), 0);
}

// For as long as the process lives. False: there is no such memory.
bool start_busy_threads(Driver& driver, int count) {
  auto* flag = static_cast<volatile int*>(driver.allocate_host(4096));
  if (flag == nullptr) return false;
  for (int i = 0; i < count; ++i) {
    std::thread([flag] {
      while (*flag == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }).detach();
  }
  return true;
}

int run(const Options& options) {
  auto steps = StepsFile::open(options);
  if (!steps) {
    fmt::print(stderr, "gpusched-simjob: {}\n", steps.error().message);
    return exit_code_of(steps.error().code);
  }
  auto driver = Driver::open(options.gpus);
  if (!driver) {
    fmt::print(stderr, "{}\n", driver.error().message);
    return 1;
  }
  if (options.busy_threads == 0) {
    look_like_pytorch();
  } else if (!start_busy_threads(*driver, options.busy_threads)) {
    fmt::print(stderr, "RuntimeError: CUDA error: no host memory\n");
    return 1;
  }
  Job job(options, *driver);
  const auto total = static_cast<std::uint64_t>(options.work / options.step);
  while (total == 0 || steps->done() < total) {
    if (!job.grow(Clock::now()) || !job.step()) return 1;
    if (!steps->add_one()) {
      fmt::print(stderr, "gpusched-simjob: write {}: {}\n", options.steps_file,
                 std::strerror(errno));
      return exit_code_of(ErrorCode::kIo);
    }
  }
  fmt::print("{} step{}\n", steps->done(), steps->done() == 1 ? "" : "s");
  return 0;
}

}  // namespace
}  // namespace gpusched::simjob

int main(int count, char** arguments) {
  using namespace gpusched;
  const auto options = simjob::parse_options({arguments + 1, arguments + count});
  if (!options) {
    fmt::print(stderr, "gpusched-simjob: {}\n", options.error().message);
    return exit_code_of(ErrorCode::kInvalid);
  }
  if (options->help) {
    fmt::print("{}", simjob::kHelp);
    return 0;
  }
  return simjob::run(*options);
}
