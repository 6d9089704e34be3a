#include "cli/attach.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <variant>

#include "cli/screen_modes.h"
#include "cli/terminal.h"
#include "cli/write_all.h"
#include "jobdir/control_client.h"

namespace gpusched::cli {
namespace {

// A job that takes no input may keep the word to leave from its supervisor; milliseconds.
constexpr int kLeavingMost = 5000;

class Attachment {
 public:
  Attachment(ControlClient client, std::string directory, SignalFd& signals, AttachTerms terms)
      : client_(std::move(client)),
        directory_(std::move(directory)),
        signals_(signals),
        terms_(std::move(terms)) {}

  Result<AttachEnd> run() {
    if (auto begun = begin(); !begun) return failure(begun.error());
    std::optional<RawTerminal> raw;
    if (terminal_) raw.emplace(STDIN_FILENO);
    while (!exit_ && !gave_up_) {
      if (auto turned = turn(); !turned) {
        // The supervisor closes when it has taken note that the job goes on by itself.
        if (leaving_ && turned.error().code == ErrorCode::kUnavailable) break;
        return failure(turned.error());
      }
    }
    // The job goes on; the terminal is the shell's again.
    if (terminal_ && !exit_ && is_terminal(STDOUT_FILENO)) {
      (void)write_all(STDOUT_FILENO, modes_.undo() + "\r\n");
    }
    return AttachEnd{std::move(exit_), signal_};
  }

 private:
  Result<void> begin() {
    const TerminalSize size = terminal_size(STDIN_FILENO).value_or(TerminalSize{});
    if (auto sent = client_.send(AttachRequest{size.rows, size.columns}); !sent) return sent;
    auto answer = client_.receive();
    if (!answer) return failure(answer.error());
    if (const auto* refused = std::get_if<Refused>(&*answer)) {
      return failure(ErrorCode::kForbidden, refused->message);
    }
    const auto* attached = std::get_if<Attached>(&*answer);
    if (attached == nullptr) {
      return failure(ErrorCode::kUnsupported, "the supervisor speaks another protocol");
    }
    terminal_ = attached->terminal && is_terminal(STDIN_FILENO);
    if (terms_.leave_at_once) {
      leave();
    } else if (!terms_.typed.empty()) {
      pending_ = InputData{std::move(terms_.typed)};
    }
    return {};
  }

  Result<void> turn() {
    // Input is taken only when there is room for it: a job that writes while it does not read
    // must never block both sides.
    const bool pending = pending_.has_value();
    pollfd entries[3] = {{client_.fd(), static_cast<short>(pending ? POLLIN | POLLOUT : POLLIN), 0},
                         {signals_.fd(), POLLIN, 0},
                         {pending || input_ended_ || leaving_ ? -1 : STDIN_FILENO, POLLIN, 0}};
    const int ready = ::poll(entries, 3, signal_ == 0 ? -1 : kLeavingMost);
    if (ready == 0) gave_up_ = true;
    if (ready < 0 && errno != EINTR) {
      return failure(ErrorCode::kIo, std::string("wait for the job: ") + std::strerror(errno));
    }
    if (entries[1].revents != 0) {
      if (auto passed = pass_signals(); !passed) return passed;
    }
    if ((entries[0].revents & POLLOUT) != 0 && pending_) {
      auto sent = client_.send(*pending_);
      pending_.reset();
      // A job that has just ended takes no more input; its last message is still to be read.
      if (!sent) input_ended_ = true;
    }
    if (entries[2].revents != 0 && !leaving_) read_input();
    if ((entries[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0) return take_message();
    return {};
  }

  void read_input() {
    std::string bytes(kControlChunk, '\0');
    const ssize_t n = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (n <= 0 && terminal_ && terms_.signals_detach) return leave_by(SIGHUP);  // It is gone.
    if (n <= 0) {
      input_ended_ = true;
      // Who came later has no more to say; the job's input is not theirs to end.
      if (!terms_.signals_detach) pending_ = InputEnd{};
      return;
    }
    bytes.resize(static_cast<std::size_t>(n));
    if (!terminal_) {
      pending_ = InputData{std::move(bytes)};
      return;
    }
    DetachKeys::Typed typed = terms_.keys.feed(bytes);
    if (typed.detach) {
      leave();
    } else if (!typed.passed.empty()) {
      pending_ = InputData{std::move(typed.passed)};
    }
  }

  // What it still had to send is dropped.
  void leave() {
    leaving_ = true;
    pending_ = Detach{};
  }

  void leave_by(int signal) {
    signal_ = signal;
    leave();
  }

  // A terminal that is gone is no reason to stay.
  Result<void> show(int fd, const std::string& bytes) {
    if (terminal_ && fd == STDOUT_FILENO) modes_.see(bytes);
    auto written = write_all(fd, bytes);
    return leaving_ ? Result<void>() : written;
  }

  Result<void> take_message() {
    auto message = client_.receive();
    if (!message) return failure(message.error());
    if (const auto* output = std::get_if<OutputData>(&*message)) {
      return show(STDOUT_FILENO, output->bytes);
    }
    if (const auto* error = std::get_if<ErrorData>(&*message)) {
      return show(STDERR_FILENO, error->bytes);
    }
    if (const auto* refused = std::get_if<Refused>(&*message); refused != nullptr && leaving_) {
      leaving_ = false;
      gave_up_ = signal_ != 0;
      return write_all(STDERR_FILENO, "\r\ngpusched: not detached: " + refused->message + "\r\n");
    }
    if (auto* exit = std::get_if<JobExit>(&*message)) exit_ = std::move(*exit);
    return {};
  }

  Result<void> pass_signals() {
    while (const std::optional<int> signal = signals_.take()) {
      if (*signal == SIGWINCH) {
        if (const auto size = terminal_size(STDIN_FILENO)) {
          (void)client_.send(WindowSize{size->rows, size->columns});
        }
      } else if (terms_.signals_detach && (*signal == SIGHUP || *signal == SIGTERM)) {
        if (signal_ != 0) gave_up_ = true;
        leave_by(*signal);
      } else if (*signal == SIGHUP) {
        return failure(ErrorCode::kUnavailable, "the terminal is gone");
      } else if (auto other = ControlClient::connect(directory_)) {
        // On a connection of its own: on this one it would wait behind the input.
        (void)other->ask(SendSignal{*signal});
      }
    }
    return {};
  }

  ControlClient client_;
  std::string directory_;
  SignalFd& signals_;
  ScreenModes modes_;
  bool terminal_ = false;
  bool input_ended_ = false;
  bool leaving_ = false;  // Asked to be let go.
  bool gave_up_ = false;  // Goes without an answer to that.
  int signal_ = 0;        // By which it was told to leave.
  AttachTerms terms_;
  std::optional<ControlMessage> pending_;
  std::optional<JobExit> exit_;
};

}  // namespace

Result<AttachEnd> attach_to(const std::string& directory, SignalFd& signals, AttachTerms terms) {
  auto client = ControlClient::connect(directory);
  if (!client) return failure(client.error());
  return Attachment(std::move(*client), directory, signals, std::move(terms)).run();
}

}  // namespace gpusched::cli
