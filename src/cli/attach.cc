#include "cli/attach.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>
#include <variant>

#include "cli/screen_modes.h"
#include "cli/session.h"
#include "cli/terminal.h"
#include "cli/write_all.h"
#include "client/away.h"

namespace gpusched::cli {
namespace {

// A job that takes no input may keep the word to leave from its supervisor; milliseconds.
constexpr int kLeavingMost = 5000;
// For the first answer from afar; milliseconds.
constexpr int kFirstAnswerMost = 10'000;
// Between looks whether somebody is still there, at either end; milliseconds.
constexpr int kLookAgain = 2000;

class Attachment {
 public:
  Attachment(ControlLink link, AttemptPlace place, SignalFd& signals, AttachTerms& terms)
      : link_(std::move(link)), place_(std::move(place)), signals_(signals), terms_(terms) {}

  Result<AttachEnd> run() {
    if (auto begun = begin(); !begun) return failure(begun.error());
    std::optional<RawTerminal> raw;
    if (terminal_) raw.emplace(STDIN_FILENO);
    while (!exit_ && !gave_up_) {
      if (auto turned = turn(); !turned) {
        // The supervisor closes when it has taken note that the job goes on by itself.
        if (leaving_ && turned.error().code == ErrorCode::kUnavailable) break;
        if (link_.afar()) give_back_screen();
        return failure(turned.error());
      }
    }
    if (!exit_) give_back_screen();
    return AttachEnd{std::move(exit_), signal_, hung_up_};
  }

 private:
  // The job goes on; the terminal is the shell's again.
  void give_back_screen() const {
    if (!terminal_ || !is_terminal(STDOUT_FILENO)) return;
    (void)write_all(STDOUT_FILENO, modes_.undo() + "\r\n");
  }

  Result<ControlMessage> ask_to_attach() {
    const TerminalSize size = terminal_size(STDIN_FILENO).value_or(TerminalSize{});
    const ControlMessage request =
        link_.afar() ? ControlMessage(AttachFromAfar{size.rows, size.columns, terms_.key})
                     : ControlMessage(AttachRequest{size.rows, size.columns});
    if (auto sent = link_.send(request); !sent) return failure(sent.error());
    while (true) {
      pollfd ready{link_.fd(), POLLIN, 0};
      if (!link_.has_message() && ::poll(&ready, 1, link_.afar() ? kFirstAnswerMost : -1) == 0) {
        return failure(ErrorCode::kUnavailable, "the job's supervisor did not answer");
      }
      auto answer = link_.receive();
      if (!answer) return failure(answer.error());
      if (*answer) return std::move(**answer);
    }
  }

  Result<void> begin() {
    auto answer = ask_to_attach();
    if (!answer) return failure(answer.error());
    if (const auto* refused = std::get_if<Refused>(&*answer)) {
      return failure(ErrorCode::kForbidden, refused->message);
    }
    const auto* attached = std::get_if<Attached>(&*answer);
    if (attached == nullptr) {
      return failure(ErrorCode::kUnsupported, "the supervisor speaks another protocol");
    }
    terms_.begun = true;
    terminal_ = attached->terminal && is_terminal(STDIN_FILENO);
    if (terms_.again) (void)write_all(STDERR_FILENO, "gpusched: attached again\n");
    if (terms_.leave_at_once) {
      leave();
    } else if (!terms_.typed.empty()) {
      pending_ = InputData{std::exchange(terms_.typed, {})};
    }
    return {};
  }

  Result<void> turn() {
    // Input is taken only when there is room for it: a job that writes while it does not read
    // must never block both sides.
    const bool pending = pending_.has_value() || resized_ || link_.sending();
    pollfd entries[3] = {{link_.fd(), static_cast<short>(pending ? POLLIN | POLLOUT : POLLIN), 0},
                         {signals_.fd(), POLLIN, 0},
                         {pending || input_ended_ || leaving_ ? -1 : STDIN_FILENO, POLLIN, 0}};
    const bool may_give_up = signal_ != 0 || (leaving_ && link_.afar());
    const int ready = ::poll(entries, 3,
                             link_.has_message()          ? 0
                             : may_give_up                ? kLeavingMost
                             : terminal_ && !link_.afar() ? -1
                                                          : kLookAgain);
    if (ready == 0 && !link_.has_message()) {
      if (may_give_up) gave_up_ = true;
      if (auto there = look_around(); !there) return there;
    }
    if (ready < 0 && errno != EINTR) {
      return failure(ErrorCode::kIo, std::string("wait for the job: ") + std::strerror(errno));
    }
    if (entries[1].revents != 0) {
      if (auto passed = pass_signals(); !passed) return passed;
    }
    if ((entries[0].revents & POLLOUT) != 0) send_pending();
    if (entries[2].revents != 0 && !leaving_) read_input();
    const bool came = (entries[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0;
    if (came || link_.has_message()) return take_message();
    return {};
  }

  // Nothing has come for a while.
  Result<void> look_around() {
    if (link_.too_silent()) return failure(ErrorCode::kUnavailable, "the daemon says nothing");
    if (leaving_ || terminal_ || !nobody_is_there()) return {};
    if (terms_.signals_detach) {
      leave_by(SIGHUP);
      return {};
    }
    return hang_up();
  }

  void send_pending() {
    Result<void> sent = link_.send_more();
    if (sent && std::exchange(resized_, false)) {
      const auto size = terminal_size(STDIN_FILENO);
      if (size) sent = link_.send(WindowSize{size->rows, size->columns});
    }
    if (sent && pending_ && !link_.sending()) {
      sent = link_.send(*pending_);
      pending_.reset();
    }
    if (sent) return;
    // A job that has just ended takes no more input; its last message is still to be read.
    pending_.reset();
    input_ended_ = true;
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
    auto came = link_.receive();
    if (!came) return failure(came.error());
    std::optional<ControlMessage>& message = *came;
    if (!message) return {};
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
        resized_ = true;
      } else if (terms_.signals_detach && (*signal == SIGHUP || *signal == SIGTERM)) {
        if (signal_ != 0) gave_up_ = true;
        leave_by(*signal);
      } else if (*signal == SIGHUP) {
        if (auto gone = hang_up(); !gone) return gone;
      } else if (auto told = tell_job(*signal); !told && link_.afar()) {
        if (!is_away(told.error())) continue;
        note("the job was not told: " + told.error().message);
        return failure(told.error());
      }
    }
    return {};
  }

  // On a connection of its own: on this one it would wait behind the input.
  Result<void> tell_job(int signal) {
    auto other = ControlLink::connect(place_);
    return other ? other->ask(SendSignal{signal}) : failure(other.error());
  }

  // The job goes with its client. From afar the end of a connection would not say so.
  Result<void> hang_up() {
    if (!link_.afar()) return failure(ErrorCode::kUnavailable, "the terminal is gone");
    leave_by(SIGHUP);
    hung_up_ = true;
    pending_ = HangUp{};
    return {};
  }

  ControlLink link_;
  AttemptPlace place_;
  SignalFd& signals_;
  ScreenModes modes_;
  bool terminal_ = false;
  bool input_ended_ = false;
  bool resized_ = false;  // The supervisor does not know it yet.
  bool hung_up_ = false;
  bool leaving_ = false;  // Asked to be let go.
  bool gave_up_ = false;  // Goes without an answer to that.
  int signal_ = 0;        // By which it was told to leave.
  AttachTerms& terms_;
  std::optional<ControlMessage> pending_;
  std::optional<JobExit> exit_;
};

}  // namespace

Result<AttachEnd> attach_to(const AttemptPlace& place, SignalFd& signals, AttachTerms& terms) {
  auto link = ControlLink::connect(place);
  if (!link) return failure(link.error());
  return Attachment(std::move(*link), place, signals, terms).run();
}

}  // namespace gpusched::cli
