#include "gpu/sampler_cards.h"

#include <fcntl.h>
#include <fmt/format.h>
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
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "json/sampler_lines.h"

extern char** environ;

namespace gpusched {
namespace {

constexpr std::size_t kOutputMost = 1U << 20;
constexpr int kNoCardsExit = 3;  // Of gpusched-sampler: no driver or no card.

std::string sampler_program() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto beside = self.parent_path() / "gpusched-sampler";
  if (!error && std::filesystem::exists(beside, error)) return beside.string();
  return (self.parent_path().parent_path() / "libexec/gpusched/gpusched-sampler").string();
}

Card card_of(const watch::NumberedCard& seen) {
  Card card;
  card.number = seen.number;
  card.uuid = seen.identity.uuid;
  card.model = seen.identity.model;
  card.vram_bytes = seen.identity.vram_bytes.value_or(0);
  card.reserved_vram_bytes = std::min(seen.identity.reserved_bytes.value_or(0), card.vram_bytes);
  return card;
}

// Why a run that brought no cards ended.
Result<CardsFound> verdict_of(int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNoCardsExit) return CardsFound{{}, "none"};
  const std::string end = WIFSIGNALED(status)
                              ? fmt::format("was ended by signal {}", WTERMSIG(status))
                              : fmt::format("gave up with exit code {}", WEXITSTATUS(status));
  return failure(ErrorCode::kUnavailable,
                 fmt::format("look for cards: gpusched-sampler {}; its own words are in the log "
                             "above",
                             end));
}

// One run of the program. Its result is there when its output and itself have ended, or when the
// deadline has come; it is reaped in every case, however late a stuck driver lets it go.
class SamplerRun : public std::enable_shared_from_this<SamplerRun> {
 public:
  SamplerRun(boost::asio::io_context& loop, std::string program, std::chrono::milliseconds deadline,
             std::function<void(Result<CardsFound>)> done)
      : loop_(loop),
        program_(std::move(program)),
        deadline_(deadline),
        output_(loop),
        process_(loop),
        timer_(loop),
        done_(std::move(done)) {}

  void start() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return fail("make a pipe", errno);
    output_.assign(ends[0]);
    const int error = spawn(ends[1]);
    ::close(ends[1]);
    if (error != 0) return fail("start " + program_, error);
    const long process = ::syscall(SYS_pidfd_open, pid_, 0);
    if (process < 0) {
      const int reason = errno;
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
      return fail("watch " + program_, reason);
    }
    process_.assign(static_cast<int>(process));
    process_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                        [self = shared_from_this()](const boost::system::error_code& failed) {
                          if (!failed) self->reap();
                        });
    timer_.expires_after(deadline_);
    timer_.async_wait([self = shared_from_this()](const boost::system::error_code& cancelled) {
      if (!cancelled) self->give_up();
    });
    read();
  }

 private:
  int spawn(int output) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    std::string once = "--once";
    std::array<char*, 3> argv = {const_cast<char*>(program_.c_str()), once.data(), nullptr};
    const int error =
        ::posix_spawn(&pid_, program_.c_str(), &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
  }
  void read() {
    output_.async_read_some(
        boost::asio::buffer(buffer_),
        [self = shared_from_this()](const boost::system::error_code& error, std::size_t length) {
          if (error) return self->end_of_output();
          self->text_.append(self->buffer_.data(), length);
          if (self->text_.size() > kOutputMost) return self->give_up();
          self->read();
        });
  }
  void reap() {
    int status = 0;
    ::waitpid(pid_, &status, WNOHANG);
    status_ = status;
    if (output_ended_) finish();
  }
  void end_of_output() {
    output_ended_ = true;
    if (status_) finish();
  }
  void finish() {
    CardsFound found{parse_sampler_output(text_), "nvml"};
    answer(found.cards.empty() ? verdict_of(*status_) : Result<CardsFound>(std::move(found)));
  }
  void give_up() {
    if (!status_) ::kill(pid_, SIGKILL);
    answer(
        failure(ErrorCode::kUnavailable,
                fmt::format("look for cards: the GPU driver gave no sensible answer within {} ms",
                            deadline_.count())));
  }
  void fail(const std::string& what, int error) {
    // Never from inside the caller's call.
    boost::asio::post(loop_, [self = shared_from_this(), what, error] {
      self->answer(failure(ErrorCode::kIo,
                           fmt::format("look for cards: {}: {}", what, std::strerror(error))));
    });
  }
  void answer(Result<CardsFound> result) {
    timer_.cancel();
    if (done_) std::exchange(done_, {})(std::move(result));
  }

  boost::asio::io_context& loop_;
  std::string program_;
  std::chrono::milliseconds deadline_;
  boost::asio::posix::stream_descriptor output_;
  boost::asio::posix::stream_descriptor process_;  // A pidfd.
  boost::asio::steady_timer timer_;
  std::function<void(Result<CardsFound>)> done_;
  pid_t pid_ = -1;
  std::optional<int> status_;  // Once it was reaped.
  bool output_ended_ = false;
  std::string text_;
  std::array<char, 4096> buffer_{};
};

class SamplerCards : public GpuBackend {
 public:
  SamplerCards(boost::asio::io_context& loop, std::string program,
               std::chrono::milliseconds deadline)
      : loop_(loop), program_(std::move(program)), deadline_(deadline) {}
  void find_cards(std::function<void(Result<CardsFound>)> done) override {
    std::make_shared<SamplerRun>(loop_, program_, deadline_, std::move(done))->start();
  }

 private:
  boost::asio::io_context& loop_;
  std::string program_;
  std::chrono::milliseconds deadline_;
};

}  // namespace

std::vector<Card> parse_sampler_output(std::string_view output) {
  std::vector<Card> cards;
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    const auto report = read_report(output.substr(0, end));
    output.remove_prefix(std::min(output.size(), end + 1));
    const auto* seen = report ? std::get_if<watch::CardsReport>(&*report) : nullptr;
    if (seen == nullptr) continue;
    for (const watch::NumberedCard& card : seen->cards) {
      // A card of which not even the size is known cannot be given to anybody.
      if (card.identity.vram_bytes) cards.push_back(card_of(card));
    }
  }
  return cards;
}

Result<std::unique_ptr<GpuBackend>> make_sampler_cards(boost::asio::io_context& loop) {
  return make_sampler_cards(loop, sampler_program(), std::chrono::seconds(10));
}

Result<std::unique_ptr<GpuBackend>> make_sampler_cards(boost::asio::io_context& loop,
                                                       std::string program,
                                                       std::chrono::milliseconds deadline) {
  return std::make_unique<SamplerCards>(loop, std::move(program), deadline);
}

}  // namespace gpusched
