#include "notify/notifier_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "os/fd.h"

namespace gpusched {
namespace {

using Descriptor = boost::asio::posix::stream_descriptor;
using ErrorOf = boost::system::error_code;

constexpr int kJournalDescriptor = 3;

tl::unexpected<Error> notifier_failure(const std::string& what, int error) {
  return failure(ErrorCode::kIo, what + ": " + std::strerror(error));
}

}  // namespace

std::string find_notifier_program() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto beside = self.parent_path() / "gpusched-notifier";
  if (!error && std::filesystem::exists(beside, error)) return beside.string();
  return (self.parent_path().parent_path() / "libexec/gpusched/gpusched-notifier").string();
}

class NotifierProcess::Child : public std::enable_shared_from_this<NotifierProcess::Child> {
 public:
  Child(boost::asio::io_context& loop, Handlers handlers)
      : handlers_(std::move(handlers)), output_(loop), input_(loop), process_(loop) {}

  Result<void> start(const std::string& program, int journal) {
    int output[2];
    int input[2];
    if (::pipe2(output, O_CLOEXEC) != 0) return notifier_failure("make a pipe", errno);
    output_.assign(output[0]);
    const Fd output_end(output[1]);
    if (::pipe2(input, O_CLOEXEC) != 0) return notifier_failure("make a pipe", errno);
    input_.assign(input[1]);
    const Fd input_end(input[0]);
    if (const int error = spawn(program, input_end.get(), output_end.get(), journal); error != 0) {
      return notifier_failure("start " + program, error);
    }
    const int process = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
    if (process < 0) {
      const int error = errno;
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
      return notifier_failure("watch " + program, error);
    }
    process_.assign(process);
    await_end();
    read();
    return {};
  }

  // One delivery at a time for each receiver, of bounded size: what waits here is bounded.
  void send(const std::string& line) {
    if (over_) return;
    waiting_ += line + "\n";
    if (!writing_) write();
  }
  void kill() {
    if (!status_) ::kill(pid_, SIGKILL);
  }
  void leave() {
    over_ = true;
    handlers_ = {};
    ErrorOf ignored;
    output_.close(ignored);
    input_.close(ignored);
  }

 private:
  // No variable of ours is its business, and no descriptor: all others are closed at its start.
  int spawn(const std::string& program, int input, int output, int journal) {
    std::string path = program, flag = "--user", user = "nobody";
    const bool drops = ::geteuid() == 0;
    std::array<char*, 4> argv = {path.data(), drops ? flag.data() : nullptr,
                                 drops ? user.data() : nullptr, nullptr};
    std::array<char*, 1> environment = {nullptr};
    posix_spawn_file_actions_t files;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&files, journal, kJournalDescriptor);
    const int error =
        ::posix_spawn(&pid_, path.c_str(), &files, nullptr, argv.data(), environment.data());
    ::posix_spawn_file_actions_destroy(&files);
    return error;
  }

  void read() {
    output_.async_read_some(boost::asio::buffer(buffer_),
                            [self = shared_from_this()](const ErrorOf& error, std::size_t length) {
                              if (self->over_) return;
                              if (error) return self->end_of_output();
                              self->text_.append(self->buffer_.data(), length);
                              take_lines(self->text_,
                                         [&](std::string_view line) { self->take_line(line); });
                              if (self->over_) return;
                              if (self->text_.size() > kNotifierLineMost) return self->kill();
                              self->read();
                            });
  }
  void take_line(std::string_view line) {
    if (over_) return;
    auto outcome = read_outcome(line);
    if (outcome) {
      handlers_.outcome(std::move(*outcome));
    } else {
      handlers_.complain("a line of gpusched-notifier: " + outcome.error().message);
    }
  }

  void write() {
    writing_ = true;
    sending_ = std::exchange(waiting_, {});
    boost::asio::async_write(input_, boost::asio::buffer(sending_),
                             [self = shared_from_this()](const ErrorOf& error, std::size_t) {
                               self->writing_ = false;
                               self->sending_.clear();
                               if (error || self->over_) return;  // Its end is noticed elsewhere.
                               if (!self->waiting_.empty()) self->write();
                             });
  }

  void await_end() {
    process_.async_wait(Descriptor::wait_read, [self = shared_from_this()](const ErrorOf& failed) {
      if (!failed) self->reap();
    });
  }
  void reap() {
    int status = 0;
    // As in gpu/sampler_process.cc: an event may have been meant for another descriptor.
    if (::waitpid(pid_, &status, WNOHANG) == 0) return await_end();
    status_ = status;
    // What it had said is read first; a program that it left behind may keep the pipe open.
    if (std::exchange(over_, true)) return;
    drain();
    const auto ended = std::move(handlers_.ended);
    handlers_ = {};
    ErrorOf ignored;
    output_.close(ignored);
    input_.close(ignored);
    if (ended) ended(*status_);
  }
  void drain() {
    ErrorOf error;
    output_.non_blocking(true, error);
    while (!error) {
      const std::size_t length = output_.read_some(boost::asio::buffer(buffer_), error);
      if (error || length == 0) break;
      text_.append(buffer_.data(), length);
    }
    take_lines(text_, [&](std::string_view line) {
      if (auto outcome = read_outcome(line)) handlers_.outcome(std::move(*outcome));
    });
  }
  void end_of_output() { kill(); }  // It has nothing to say any more: it is of no use.

  Handlers handlers_;
  Descriptor output_, input_;
  Descriptor process_;  // A pidfd.
  pid_t pid_ = -1;
  std::optional<int> status_;  // Once it was reaped.
  bool over_ = false;
  bool writing_ = false;
  std::string waiting_, sending_;
  std::string text_;
  std::array<char, 16U << 10> buffer_{};
};

Result<std::unique_ptr<NotifierProcess>> NotifierProcess::start(boost::asio::io_context& loop,
                                                                const std::string& program,
                                                                int journal, Handlers handlers) {
  auto child = std::make_shared<Child>(loop, std::move(handlers));
  if (auto started = child->start(program, journal); !started) {
    return failure(std::move(started.error()));
  }
  return std::unique_ptr<NotifierProcess>(new NotifierProcess(std::move(child)));
}

NotifierProcess::NotifierProcess(std::shared_ptr<Child> child) : child_(std::move(child)) {}
NotifierProcess::~NotifierProcess() { child_->leave(); }
void NotifierProcess::send(const Delivery& delivery) { child_->send(write_line(delivery)); }
void NotifierProcess::kill() { child_->kill(); }

}  // namespace gpusched
