#include "gpu/sampler_cards.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <map>

extern char** environ;

namespace gpusched {
namespace {

constexpr std::chrono::seconds kDeadline{10};
constexpr std::size_t kOutputMost = 1U << 20;

std::string sampler_program() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto beside = self.parent_path() / "gpusched-sampler";
  if (!error && std::filesystem::exists(beside, error)) return beside.string();
  return (self.parent_path().parent_path() / "libexec/gpusched/gpusched-sampler").string();
}

bool read_number(const std::map<std::string, std::string>& fields, const char* name,
                 std::uint64_t& value) {
  const auto found = fields.find(name);
  if (found == fields.end()) return false;
  const std::string& text = found->second;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  return read.ec == std::errc{} && read.ptr == text.data() + text.size();
}

bool parse_line(std::string_view line, Card& card) {
  std::map<std::string, std::string> fields;
  while (!line.empty()) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) return false;
    const std::string name(line.substr(0, equals));
    line.remove_prefix(equals + 1);
    const std::size_t end = name == "model" ? line.size() : std::min(line.find(' '), line.size());
    fields[name] = line.substr(0, end);
    line.remove_prefix(std::min(line.size(), end + 1));
  }
  std::uint64_t number = 0;
  if (!read_number(fields, "number", number) || number > 0xffff) return false;
  if (!read_number(fields, "vram_bytes", card.vram_bytes)) return false;
  read_number(fields, "reserved_bytes", card.reserved_vram_bytes);
  card.reserved_vram_bytes = std::min(card.reserved_vram_bytes, card.vram_bytes);
  card.number = CardNumber{static_cast<std::uint16_t>(number)};
  card.uuid = fields["uuid"];
  card.model = fields["model"];
  return !card.uuid.empty();
}

// One run of the program: its output, its end, and the deadline, whichever comes first.
class SamplerRun : public std::enable_shared_from_this<SamplerRun> {
 public:
  SamplerRun(boost::asio::io_context& loop, std::function<void(Result<CardsFound>)> done)
      : output_(loop), timer_(loop), done_(std::move(done)) {}

  void start() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return fail("make a pipe", errno);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    const std::string program = sampler_program();
    std::array<char*, 2> argv = {const_cast<char*>(program.c_str()), nullptr};
    const int error =
        ::posix_spawn(&pid_, program.c_str(), &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    output_.assign(ends[0]);
    if (error != 0) return fail("start " + program, error);
    timer_.expires_after(kDeadline);
    timer_.async_wait([self = shared_from_this()](const boost::system::error_code& cancelled) {
      if (!cancelled) self->give_up();
    });
    read();
  }

 private:
  void read() {
    output_.async_read_some(
        boost::asio::buffer(buffer_),
        [self = shared_from_this()](const boost::system::error_code& error, std::size_t length) {
          if (error || self->text_.size() > kOutputMost) return self->finish();
          self->text_.append(self->buffer_.data(), length);
          self->read();
        });
  }
  void finish() {
    if (!done_) return;
    timer_.cancel();
    // Its output is closed, so it is ending; a driver that keeps it is not waited for.
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) == 0) ::kill(pid_, SIGKILL);
    CardsFound found{parse_sampler_output(text_), "nvml"};
    if (found.cards.empty()) found.source = "none";
    std::exchange(done_, {})(std::move(found));
  }
  void give_up() {
    if (!done_) return;
    ::kill(pid_, SIGKILL);
    output_.close();
    std::exchange(done_, {})(
        failure(ErrorCode::kUnavailable,
                fmt::format("the GPU driver did not answer within {} s", kDeadline.count())));
  }
  void fail(const std::string& what, int error) {
    std::exchange(done_,
                  {})(failure(ErrorCode::kIo, fmt::format("{}: {}", what, std::strerror(error))));
  }

  boost::asio::posix::stream_descriptor output_;
  boost::asio::steady_timer timer_;
  std::function<void(Result<CardsFound>)> done_;
  pid_t pid_ = -1;
  std::string text_;
  std::array<char, 4096> buffer_{};
};

class SamplerCards : public GpuBackend {
 public:
  explicit SamplerCards(boost::asio::io_context& loop) : loop_(loop) {}
  void find_cards(std::function<void(Result<CardsFound>)> done) override {
    std::make_shared<SamplerRun>(loop_, std::move(done))->start();
  }

 private:
  boost::asio::io_context& loop_;
};

}  // namespace

std::vector<Card> parse_sampler_output(std::string_view output) {
  std::vector<Card> cards;
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    Card card;
    if (parse_line(output.substr(0, end), card)) cards.push_back(std::move(card));
    output.remove_prefix(std::min(output.size(), end + 1));
  }
  return cards;
}

Result<std::unique_ptr<GpuBackend>> make_sampler_cards(boost::asio::io_context& loop) {
  return std::make_unique<SamplerCards>(loop);
}

}  // namespace gpusched
