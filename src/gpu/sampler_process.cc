#include "gpu/sampler_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
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

#include "os/fd.h"
#include "wire/sampler_lines.h"

extern char** environ;

namespace gpusched {
namespace {

using Descriptor = boost::asio::posix::stream_descriptor;
using ErrorOf = boost::system::error_code;

// Orders that a stuck sampler has not taken; what comes later replaces what came earlier anyway.
constexpr std::size_t kOrdersMost = 256U << 10;

// Our environment, with these in place of equal names.
std::vector<std::string> environment_with(const std::vector<std::string>& added) {
  std::vector<std::string> all = added;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view variable(*entry);
    const std::string_view name = variable.substr(0, variable.find('=') + 1);
    const bool replaced =
        std::ranges::any_of(added, [&](const std::string& one) { return one.starts_with(name); });
    if (!replaced) all.emplace_back(variable);
  }
  return all;
}

tl::unexpected<Error> cannot(const std::string& what, int error) {
  return failure(ErrorCode::kIo, what + ": " + std::strerror(error));
}

}  // namespace

std::string find_sampler_program() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto beside = self.parent_path() / "gpusched-sampler";
  if (!error && std::filesystem::exists(beside, error)) return beside.string();
  return (self.parent_path().parent_path() / "libexec/gpusched/gpusched-sampler").string();
}

class SamplerProcess::Child : public std::enable_shared_from_this<SamplerProcess::Child> {
 public:
  Child(boost::asio::io_context& loop, Handlers handlers)
      : handlers_(std::move(handlers)), output_(loop), orders_(loop), process_(loop) {}

  Result<void> start(const Options& options) {
    int output[2];
    int orders[2];
    if (::pipe2(output, O_CLOEXEC) != 0) return cannot("make a pipe", errno);
    output_.assign(output[0]);
    const Fd output_end(output[1]);
    if (::pipe2(orders, O_CLOEXEC) != 0) return cannot("make a pipe", errno);
    orders_.assign(orders[1]);
    const Fd orders_end(orders[0]);
    if (const int error = spawn(options, orders_end.get(), output_end.get()); error != 0) {
      return cannot("start " + options.program, error);
    }
    const int process = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
    if (process < 0) {
      const int error = errno;
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
      return cannot("watch " + options.program, error);
    }
    process_.assign(process);
    await_end();
    read();
    return {};
  }

  void send(const std::string& line) {
    if (over_ || waiting_.size() > kOrdersMost) return;
    waiting_ += line + "\n";
    if (!writing_) write();
  }
  void kill() {
    if (!status_) ::kill(pid_, SIGKILL);
  }
  // Nobody listens any more; it is reaped whenever the driver lets it go.
  void abandon() {
    over_ = true;
    handlers_ = {};
    kill();
    ErrorOf ignored;
    output_.close(ignored);
    orders_.close(ignored);
  }

 private:
  int spawn(const Options& options, int orders, int output) {
    std::vector<std::string> variables = environment_with(options.variables);
    std::vector<char*> environment;
    for (std::string& one : variables) environment.push_back(one.data());
    environment.push_back(nullptr);
    std::string program = options.program;
    std::string once = "--once";
    std::array<char*, 3> argv = {program.data(), options.once ? once.data() : nullptr, nullptr};
    posix_spawn_file_actions_t files;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_adddup2(&files, orders, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    const int error =
        ::posix_spawn(&pid_, program.c_str(), &files, nullptr, argv.data(), environment.data());
    ::posix_spawn_file_actions_destroy(&files);
    return error;
  }

  void read() {
    output_.async_read_some(boost::asio::buffer(buffer_),
                            [self = shared_from_this()](const ErrorOf& error, std::size_t length) {
                              if (self->over_) return;
                              if (error) return self->end_of_output();
                              self->text_.append(self->buffer_.data(), length);
                              self->take_lines();
                              if (self->over_) return;
                              self->bound_line();
                              self->read();
                            });
  }

  void take_lines() {
    std::size_t begin = 0;
    for (std::size_t end = text_.find('\n'); end != std::string::npos && !over_;
         end = text_.find('\n', begin)) {
      take_line(std::string_view(text_).substr(begin, end - begin));
      begin = end + 1;
    }
    text_.erase(0, begin);
  }
  // A line that is too long is passed over: another one follows.
  void bound_line() {
    if (text_.size() <= kSamplerLineMost) return;
    if (!std::exchange(passing_over_, true)) {
      handlers_.complain("a line of gpusched-sampler: more than 1 MiB");
    }
    text_.clear();
  }
  void take_line(std::string_view line) {
    if (std::exchange(passing_over_, false)) return;  // The end of one.
    auto report = read_report(line);
    if (report) {
      handlers_.report(std::move(*report));
    } else {
      handlers_.complain("a line of gpusched-sampler: " + report.error().message);
    }
  }

  void write() {
    writing_ = true;
    sending_ = std::exchange(waiting_, {});
    boost::asio::async_write(orders_, boost::asio::buffer(sending_),
                             [self = shared_from_this()](const ErrorOf& error, std::size_t) {
                               self->writing_ = false;
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
    if (output_ended_) finish();
  }
  void end_of_output() {
    output_ended_ = true;
    if (status_) finish();
  }
  void finish() {
    if (std::exchange(over_, true)) return;
    const auto ended = std::move(handlers_.ended);
    handlers_ = {};
    if (ended) ended(*status_);
  }

  Handlers handlers_;
  Descriptor output_, orders_;
  Descriptor process_;  // A pidfd.
  pid_t pid_ = -1;
  std::optional<int> status_;  // Once it was reaped.
  bool output_ended_ = false;
  bool over_ = false;
  bool writing_ = false;
  std::string waiting_, sending_;
  std::string text_;
  bool passing_over_ = false;  // The line that is being read was too long.
  std::array<char, 64U << 10> buffer_{};
};

Result<std::unique_ptr<SamplerProcess>> SamplerProcess::start(boost::asio::io_context& loop,
                                                              const Options& options,
                                                              Handlers handlers) {
  auto child = std::make_shared<Child>(loop, std::move(handlers));
  if (auto started = child->start(options); !started) return failure(std::move(started.error()));
  return std::unique_ptr<SamplerProcess>(new SamplerProcess(std::move(child)));
}

SamplerProcess::SamplerProcess(std::shared_ptr<Child> child) : child_(std::move(child)) {}
SamplerProcess::~SamplerProcess() { child_->abandon(); }
void SamplerProcess::send(const watch::Order& order) { child_->send(write_order(order)); }
void SamplerProcess::kill() { child_->kill(); }

}  // namespace gpusched
