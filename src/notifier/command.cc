#include "notifier/command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/text.h"
#include "notifier/leftovers.h"
#include "notifier/outcomes.h"
#include "notifier/payload/payload.h"
#include "notifier/plain_text.h"
#include "notifier/spoken.h"
#include "os/clock.h"
#include "os/fd.h"

namespace gpusched::notifier {
namespace {

constexpr std::size_t kStderrKept = 4096;
constexpr int kLookMs = 20;  // Between two looks whether it has ended.
constexpr int kExitAgain = 75;
// To end what is left. The notifier ends us soon after the deadline, and then the rest itself.
constexpr std::chrono::milliseconds kEndingMost{300};

struct Pipe {
  Fd read, write;
};
bool make_pipe(Pipe& pipe) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
  pipe = {Fd(ends[0]), Fd(ends[1])};
  return true;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

void lift_soft_limit(__rlimit_resource_t what) {
  rlimit limit{};
  if (::getrlimit(what, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  // Ignoring failure: then it keeps ours.
  (void)::setrlimit(what, &limit);
}

// In the child. Never returns.
[[noreturn]] void become(const Pipe& input, const Pipe& errors, const std::vector<char*>& arguments,
                         const std::vector<char*>& environment) {
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int nothing = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  ::dup2(input.read.get(), STDIN_FILENO);
  ::dup2(nothing, STDOUT_FILENO);
  ::dup2(errors.write.get(), STDERR_FILENO);
  ::signal(SIGPIPE, SIG_DFL);
  lift_soft_limit(RLIMIT_AS);  // Bounds are for our own mistakes.
  if (::chdir("/") == 0) ::execve(arguments[0], arguments.data(), environment.data());
  const std::string why = std::string("it cannot be started: ") + std::strerror(errno);
  (void)!::write(STDERR_FILENO, why.data(), why.size());
  ::_exit(127);
}

// Feeds a command and hears it, until it ends or the time is over.
class Attendance {
 public:
  Attendance(pid_t pid, Fd input, Fd errors, std::string text)
      : pid_(pid), input_(std::move(input)), errors_(std::move(errors)), text_(std::move(text)) {
    ::fcntl(input_.get(), F_SETFL, O_NONBLOCK);
    ::fcntl(errors_.get(), F_SETFL, O_NONBLOCK);
  }
  // Its wait status; nothing: it was killed because the time was over.
  std::optional<int> wait(Boot deadline) {
    std::optional<int> status;
    while (!status && read_clock().boot < deadline) {
      std::array<pollfd, 2> entries{{{input_.get(), POLLOUT, 0}, {errors_.get(), POLLIN, 0}}};
      ::poll(entries.data(), entries.size(), kLookMs);
      feed();
      hear();
      int ended = 0;
      if (::waitpid(pid_, &ended, WNOHANG) == pid_) status = ended;
    }
    // Also what it left behind, in its group.
    ::kill(-pid_, SIGKILL);
    if (!status) {
      // It may have no group of its own yet.
      ::kill(pid_, SIGKILL);
      int ended = 0;
      while (::waitpid(pid_, &ended, 0) < 0 && errno == EINTR) continue;
    }
    left_ = end_children_but({}, read_clock().boot + kEndingMost);
    hear();
    return status;
  }
  // Of what the command has left behind; empty: nothing.
  std::string words_of_leftovers() const {
    if (left_.ended == 0 && !left_.some_live) return {};
    std::string words =
        fmt::format("it left {} running, which {} ended",
                    left_.ended == 1 ? "a process" : fmt::format("{} processes", left_.ended),
                    left_.ended == 1 ? "was" : "were");
    if (left_.some_live) words += "; some could not be ended";
    return words;
  }
  std::string last_line() const {
    std::string_view said = trimmed(heard_);
    return std::string(said.substr(said.rfind('\n') + 1));
  }

 private:
  void feed() {
    if (!input_) return;
    const ssize_t sent = ::write(input_.get(), text_.data(), text_.size());
    if (sent > 0) text_.erase(0, static_cast<std::size_t>(sent));
    // A command need not read it.
    if (text_.empty() || (sent < 0 && errno != EAGAIN && errno != EINTR)) input_.reset();
  }
  void hear() {
    std::array<char, 4096> bytes{};
    // A command that never stops is heard a bit at a time.
    for (int i = 0; i < 16 && errors_; ++i) {
      const ssize_t got = ::read(errors_.get(), bytes.data(), bytes.size());
      if (got == 0) errors_.reset();
      if (got <= 0) return;
      heard_.append(bytes.data(), static_cast<std::size_t>(got));
      if (heard_.size() > kStderrKept) heard_.erase(0, heard_.size() - kStderrKept);
    }
  }

  pid_t pid_;
  Fd input_, errors_;
  std::string text_, heard_;
  Leftovers left_;
};

}  // namespace

std::vector<std::string> command_environment(const Delivery& delivery) {
  const Notice& notice = delivery.message.notice;
  const auto fact = [](std::string_view name, std::string_view value) {
    return fmt::format("GPUSCHED_{}={}", name, cut(one_line(value), 1000));
  };
  std::vector<std::string> all{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                               fact("MESSAGE_ID", std::to_string(delivery.message.id)),
                               fact("MACHINE", delivery.machine),
                               fact("SEVERITY", severity_word(notice.severity)),
                               fact("RESOLVED", notice.resolved ? "true" : "false"),
                               fact("RULE", notice.rule),
                               fact("SUBJECT", notice.subject),
                               fact("WHAT", notice.what),
                               fact("TIMES", std::to_string(delivery.message.times)),
                               fact("LINK", delivery.link)};
  if (notice.job) all.push_back(fact("JOB", to_string(*notice.job)));
  if (notice.card) all.push_back(fact("CARD", std::to_string(number_of(*notice.card))));
  return all;
}

DeliveryOutcome run_command(const Delivery& delivery, Boot deadline) {
  if (delivery.receiver.command.empty() || !delivery.receiver.command[0].starts_with('/')) {
    return outcome_of(delivery, {ErrorCode::kInvalid, "its command must begin with a whole path"});
  }
  Pipe input;
  Pipe errors;
  if (!make_pipe(input) || !make_pipe(errors)) {
    return outcome_of(delivery, {ErrorCode::kUnavailable, "there are no descriptors left"});
  }
  // A command may end before it has read its input.
  ::signal(SIGPIPE, SIG_IGN);
  std::vector<std::string> arguments = delivery.receiver.command;
  std::vector<std::string> environment = command_environment(delivery);
  const std::vector<char*> argument_pointers = pointers_to(arguments);
  const std::vector<char*> environment_pointers = pointers_to(environment);
  // What it starts stays ours, also what leaves its group.
  adopt_orphans();
  const pid_t pid = ::fork();
  if (pid < 0) return outcome_of(delivery, {ErrorCode::kUnavailable, "it cannot be started now"});
  if (pid == 0) become(input, errors, argument_pointers, environment_pointers);
  input.read.reset();
  errors.write.reset();
  Attendance attendance(pid, std::move(input.write), std::move(errors.read),
                        message_json(delivery) + "\n");
  const std::optional<int> status = attendance.wait(deadline);
  DeliveryOutcome outcome{.id = delivery.id};
  if (!status) {
    outcome.error = fmt::format("its command did not end within {} s and was killed",
                                delivery.receiver.timeout.count());
    return outcome;
  }
  const int code = WIFEXITED(*status) ? WEXITSTATUS(*status) : -1;
  if (code == 0) {
    outcome.result = DeliveryResult::kDelivered;
    outcome.error = attendance.words_of_leftovers();
    return outcome;
  }
  outcome.result = code == kExitAgain ? DeliveryResult::kAgain : DeliveryResult::kRefused;
  const std::string said = spoken(delivery, attendance.last_line());
  outcome.error =
      fmt::format("its command ended with {}{}{}",
                  code < 0 ? fmt::format("signal {}", WTERMSIG(*status)) : std::to_string(code),
                  said.empty() ? "" : ": ", said);
  return outcome;
}

}  // namespace gpusched::notifier
