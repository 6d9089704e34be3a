// What others may ask of a shim.
#include <sys/socket.h>

#include <cerrno>
#include <csignal>
#include <type_traits>

#include "jobdir/cgroup.h"
#include "jobdir/packet.h"
#include "jobdir/process_tree.h"
#include "launcher/adopt.h"
#include "launcher/supervisor.h"
#include "os/clock.h"

namespace gpusched {
namespace {

constexpr std::size_t kMostClients = 32;
// Between HUP and TERM for a job whose client has gone.
constexpr Seconds kHangUpPause{1};

}  // namespace

void Supervisor::accept_clients() {
  while (true) {
    Fd socket(::accept4(parts_.control.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) return;
    ucred peer{};
    socklen_t size = sizeof peer;
    if (::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) continue;
    const bool administrator = peer.uid == 0 || peer.uid == ::geteuid();
    if (!administrator && peer.uid != parts_.order.command.owner.uid) {
      send_packet(socket.get(), encode(Refused{"this job belongs to somebody else"}), {},
                  MSG_DONTWAIT);
      continue;
    }
    // Those who connect and say nothing make room for those who have something to say.
    if (clients_.size() >= kMostClients) clients_.erase(clients_.begin());
    clients_.push_back({std::move(socket), administrator});
    on_client(clients_.size() - 1);
  }
}

void Supervisor::on_client(std::size_t index) {
  Client& client = clients_[index];
  std::string buffer(kLargestControlPacket, '\0');
  std::vector<Fd> passed;
  const ssize_t got =
      receive_packet(client.socket.get(), buffer.data(), buffer.size(), passed, MSG_DONTWAIT);
  if (got < 0 && errno == EAGAIN) return;
  if (got <= 0) {
    clients_.erase(clients_.begin() + static_cast<std::ptrdiff_t>(index));
    return;
  }
  const auto message = decode_control({buffer.data(), static_cast<std::size_t>(got)});
  if (!message) {
    send_packet(client.socket.get(), encode(Refused{message.error().message}), {}, MSG_DONTWAIT);
    return;
  }
  if (const auto* request = std::get_if<AttachRequest>(&*message)) {
    return attach(index, *request, parts_.attachment && parts_.attachment->may_attach());
  }
  if (const auto* request = std::get_if<AttachFromAfar>(&*message)) {
    return attach(index, *request, parts_.attachment && parts_.attachment->may_attach(*request));
  }
  const ControlMessage answer = obey(*message, client.administrator);
  send_packet(client.socket.get(), encode(answer), {}, MSG_DONTWAIT);
}

template <class Request>
void Supervisor::attach(std::size_t index, const Request& request, bool may) {
  Client& client = clients_[index];
  if (may) {
    Fd socket = std::move(client.socket);
    clients_.erase(clients_.begin() + static_cast<std::ptrdiff_t>(index));
    parts_.attachment->attach(std::move(socket), request);
    return;
  }
  send_packet(client.socket.get(),
              encode(Refused{parts_.attachment ? "somebody is attached to this job already"
                                               : "this job has no terminal"}),
              {}, MSG_DONTWAIT);
}

ControlMessage Supervisor::obey(const ControlMessage& message, bool administrator) {
  const Boot now = read_clock().boot;
  const bool alive = phase_ == Phase::kStarting || phase_ == Phase::kRunning;
  if (const auto* stop = std::get_if<StopCommand>(&message)) {
    if (alive) timeline_.stop(now, stop->grace);
    apply_timeline();
    return Done{};
  }
  if (const auto* save = std::get_if<SaveCommand>(&message)) {
    if (save->signal > 64) return Refused{"there is no such signal"};
    if (parts_.order.adopted) return Refused{"an adopted process is not asked to save itself"};
    if (alive) ask_to_save(*save);
    return Done{};
  }
  if (const auto* signal = std::get_if<SendSignal>(&message)) {
    if (signal->signal < 1 || signal->signal > 64) return Refused{"there is no such signal"};
    if (alive) signal_command(signal->signal);
    return Done{};
  }
  const bool for_administrators = std::holds_alternative<SetTime>(message) ||
                                  std::holds_alternative<PauseCommand>(message) ||
                                  std::holds_alternative<ResumeCommand>(message) ||
                                  std::holds_alternative<LetGoCommand>(message);
  if (!for_administrators) return Refused{"this is not for a supervisor to do"};
  if (!administrator) return Refused{"only the daemon's user may do this"};
  if (const auto* time = std::get_if<SetTime>(&message)) {
    parts_.order.time = time->time;
    timeline_.change(time->time, now);
    // Ignoring failure: a successor, should there be one, would hold to the old limit.
    if (parts_.order.adopted) (void)keep_adoption(parts_.directory.get(), parts_.order);
    apply_timeline();
    return Done{};
  }
  if (std::holds_alternative<LetGoCommand>(message)) {
    if (!parts_.order.adopted) return Refused{"this job was not adopted"};
    if (alive) let_go();
    return Done{};
  }
  const bool pause = std::holds_alternative<PauseCommand>(message);
  if (!alive) return Refused{"the job has ended"};
  // Nobody stopped it, at least not us: no signal that the job might wonder about.
  if (!pause && !timeline_.paused()) return Done{};
  if (!set_paused(pause)) return Refused{pause ? "cannot be paused" : "cannot be resumed"};
  return Done{};
}

bool Supervisor::set_paused(bool paused) {
  const int signal = paused ? SIGSTOP : SIGCONT;
  const bool changed = adopted_      ? adopted_->signal(signal) > 0
                       : parts_.leaf ? freeze_leaf(parts_.leaf.get(), paused)
                                     : signal_descendants(::getpid(), signal) > 0;
  if (!changed) return false;
  const Boot now = read_clock().boot;
  if (paused) {
    timeline_.pause(now);
  } else {
    timeline_.resume(now);
  }
  return true;
}

void Supervisor::apply_timeline() {
  if (phase_ != Phase::kStarting && phase_ != Phase::kRunning) return;
  for (const Timeline::Action action : timeline_.due(read_clock().boot)) {
    switch (action) {
      case Timeline::Action::kWarn:
        signal_command(timeline_.rule().warn_signal);
        break;
      case Timeline::Action::kTimeOut:
        timed_out_ = true;
        signal_command(SIGTERM);
        break;
      case Timeline::Action::kTerminate:
        signal_command(SIGTERM);
        // What is frozen cannot obey.
        if (timeline_.paused()) set_paused(false);
        break;
      case Timeline::Action::kKill:
        end_tree();
        break;
    }
  }
}

void Supervisor::hang_up(const char* why) {
  if (phase_ != Phase::kStarting && phase_ != Phase::kRunning) return;
  note_ = why;
  signal_command(SIGHUP);
  timeline_.stop(read_clock().boot + kHangUpPause, parts_.order.time.grace);
}

}  // namespace gpusched
