#include "child/line_child.h"

#include <fcntl.h>
#include <fmt/format.h>
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

#include "os/fd.h"

namespace gpusched {
namespace {

using Descriptor = boost::asio::posix::stream_descriptor;
using ErrorOf = boost::system::error_code;

tl::unexpected<Error> cannot(const std::string& what, int error) {
  return failure(ErrorCode::kIo, what + ": " + std::strerror(error));
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

std::string find_program(const std::string& name) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto beside = self.parent_path() / name;
  if (!error && std::filesystem::exists(beside, error)) return beside.string();
  return (self.parent_path().parent_path() / "libexec/gpusched" / name).string();
}

class LineChild::Child : public std::enable_shared_from_this<LineChild::Child> {
 public:
  Child(boost::asio::io_context& loop, const Options& options, Handlers handlers)
      : handlers_(std::move(handlers)),
        name_(std::filesystem::path(options.command.front()).filename().string()),
        line_most_(options.line_most),
        unsent_most_(options.unsent_most),
        killed_when_left_(options.killed_when_left),
        output_(loop),
        input_(loop),
        process_(loop) {}

  Result<void> start(const Options& options) {
    int output[2];
    int input[2];
    if (::pipe2(output, O_CLOEXEC) != 0) return cannot("make a pipe", errno);
    output_.assign(output[0]);
    const Fd output_end(output[1]);
    if (::pipe2(input, O_CLOEXEC) != 0) return cannot("make a pipe", errno);
    input_.assign(input[1]);
    const Fd input_end(input[0]);
    const std::string& program = options.command.front();
    if (const int error = spawn(options, input_end.get(), output_end.get()); error != 0) {
      return cannot("start " + program, error);
    }
    const int process = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
    if (process < 0) {
      const int error = errno;
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
      return cannot("watch " + program, error);
    }
    process_.assign(process);
    await_end();
    read();
    return {};
  }

  void send(const std::string& line) {
    if (over_ || waiting_.size() > unsent_most_) return;
    waiting_ += line + "\n";
    if (!writing_) write();
  }
  void kill() {
    if (!status_) ::kill(pid_, SIGKILL);
  }
  // It is reaped whenever it is gone.
  void leave() {
    over_ = true;
    handlers_ = {};
    if (killed_when_left_) kill();
    close();
  }

 private:
  int spawn(const Options& options, int input, int output) {
    std::vector<std::string> command = options.command, environment = options.environment;
    const std::vector<char*> arguments = pointers_to(command), variables = pointers_to(environment);
    posix_spawn_file_actions_t files;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    for (const auto& [ours, there] : options.descriptors) {
      ::posix_spawn_file_actions_adddup2(&files, ours, there);
    }
    const int error = ::posix_spawn(&pid_, arguments.front(), &files, nullptr, arguments.data(),
                                    variables.data());
    ::posix_spawn_file_actions_destroy(&files);
    return error;
  }

  void read() {
    output_.async_read_some(boost::asio::buffer(buffer_),
                            [self = shared_from_this()](const ErrorOf& error, std::size_t length) {
                              // Of one that is silent for good, the end is awaited.
                              if (self->over_ || error) return;
                              self->take(length);
                              if (!self->over_) self->read();
                            });
  }
  void take(std::size_t length) {
    text_.append(buffer_.data(), length);
    // It may stop listening in the midst of a line.
    const auto hear = handlers_.line;
    std::size_t begin = 0;
    for (std::size_t end = text_.find('\n'); end != std::string::npos && handlers_.line;
         end = text_.find('\n', begin)) {
      const std::string_view line = std::string_view(text_).substr(begin, end - begin);
      begin = end + 1;
      if (!std::exchange(passing_over_, false)) hear(line);
    }
    text_.erase(0, begin);
    // A line that is too long is passed over: another one follows.
    if (text_.size() <= line_most_) return;
    if (!std::exchange(passing_over_, true) && handlers_.complain) {
      handlers_.complain(fmt::format("a line of {}: more than {} KiB", name_, line_most_ >> 10U));
    }
    text_.clear();
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
    // The reactor may hand us an event that was meant for a descriptor closed a moment ago, whose
    // place ours has taken. Nobody waits here for a process that lives.
    if (::waitpid(pid_, &status, WNOHANG) == 0) return await_end();
    status_ = status;
    // What it had said is heard first; what it has left behind may keep the pipe open.
    if (std::exchange(over_, true)) return;
    hear_the_rest();
    const auto ended = std::move(handlers_.ended);
    handlers_ = {};
    close();
    if (ended) ended(*status_);
  }
  // As much as fits into a pipe, and not more: somebody may go on writing.
  void hear_the_rest() {
    constexpr std::size_t kPipeMost = 1U << 20;
    ErrorOf error;
    output_.non_blocking(true, error);
    for (std::size_t heard = 0; !error && handlers_.line && heard <= kPipeMost;) {
      const std::size_t length = output_.read_some(boost::asio::buffer(buffer_), error);
      if (error || length == 0) return;
      take(length);
      heard += length;
    }
  }
  void close() {
    ErrorOf ignored;
    output_.close(ignored);
    input_.close(ignored);
  }

  Handlers handlers_;
  std::string name_;
  std::size_t line_most_, unsent_most_;
  bool killed_when_left_;
  Descriptor output_, input_;
  Descriptor process_;  // A pidfd.
  pid_t pid_ = -1;
  std::optional<int> status_;  // Once it was reaped.
  bool over_ = false;
  bool writing_ = false;
  std::string waiting_, sending_;
  std::string text_;
  bool passing_over_ = false;  // The line that is being read was too long.
  std::array<char, 64U << 10> buffer_{};
};

Result<std::unique_ptr<LineChild>> LineChild::start(boost::asio::io_context& loop,
                                                    const Options& options, Handlers handlers) {
  auto child = std::make_shared<Child>(loop, options, std::move(handlers));
  if (auto started = child->start(options); !started) return failure(std::move(started.error()));
  return std::unique_ptr<LineChild>(new LineChild(std::move(child)));
}

LineChild::LineChild(std::shared_ptr<Child> child) : child_(std::move(child)) {}
LineChild::~LineChild() { child_->leave(); }
void LineChild::send(const std::string& line) { child_->send(line); }
void LineChild::kill() { child_->kill(); }

}  // namespace gpusched
