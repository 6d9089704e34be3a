#include "watch/run_program.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "watch/child.h"

namespace gpusched::watch {
namespace {

constexpr std::size_t kMostErrors = 4096;
// How long we look away: an end is noticed by the closed pipe, or at the latest after this.
constexpr std::int64_t kProgramLapMs = 50;

enum class Pipe { kOpen, kClosed };

// Takes what is there. What is over `limit` is read and dropped, one byte is kept as a sign of it.
Pipe drain(int fd, std::string& kept, std::size_t limit) {
  std::array<char, 16384> buffer{};
  while (kept.size() <= limit) {
    const ssize_t size = ::read(fd, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return errno == EAGAIN || errno == EWOULDBLOCK ? Pipe::kOpen : Pipe::kClosed;
    if (size == 0) return Pipe::kClosed;
    kept.append(buffer.data(), std::min(static_cast<std::size_t>(size), limit + 1 - kept.size()));
  }
  return Pipe::kOpen;
}

// Keeps a babbling program from blocking on a full pipe without keeping what it says.
Pipe drain_errors(int fd, std::string& kept) {
  const Pipe state = drain(fd, kept, kMostErrors);
  if (kept.size() > kMostErrors) kept.resize(kMostErrors / 2);
  return state;
}

}  // namespace

Result<ProgramOutput> run_program(const ProgramRun& run, const Host& host) {
  const std::string& name = run.arguments.front();
  auto child = Child::start(run.arguments);
  if (!child) return failure(child.error());
  const Boot end = host.now() + run.deadline;
  ProgramOutput result;
  bool output_open = true;
  bool errors_open = true;
  for (;;) {
    // The exit is asked for before the last look into the pipes, so that nothing is missed.
    const auto code = child->exit_code();
    if (output_open) {
      output_open = drain(child->output(), result.output, run.most_bytes) == Pipe::kOpen;
    }
    if (errors_open) errors_open = drain_errors(child->errors(), result.errors) == Pipe::kOpen;
    if (result.output.size() > run.most_bytes) {
      return failure(ErrorCode::kTooLarge,
                     fmt::format("{} printed more than {} bytes", name, run.most_bytes));
    }
    if (code) {
      result.exit_code = *code;
      return result;
    }
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - host.now()).count();
    if (left <= 0) {
      return failure(ErrorCode::kUnavailable,
                     fmt::format("{} did not answer within {} ms", name, run.deadline.count()));
    }
    std::array<pollfd, 2> pipes{{{output_open ? child->output() : -1, POLLIN, 0},
                                 {errors_open ? child->errors() : -1, POLLIN, 0}}};
    // With its pipes closed it is about to exit: that takes no more than a moment.
    const std::int64_t lap = output_open || errors_open ? kProgramLapMs : 1;
    ::poll(pipes.data(), pipes.size(), static_cast<int>(std::min(left, lap)));
  }
}

}  // namespace gpusched::watch
