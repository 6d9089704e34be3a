#include "launch/launcher_link.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <cstring>
#include <utility>

#include "jobdir/packet.h"
#include "os/descriptors.h"

namespace gpusched {
namespace {

using Clock = std::chrono::steady_clock;
using Wait = boost::asio::posix::descriptor_base;

// Packets taken in one go before others get their turn.
constexpr int kMostAtOnce = 64;
constexpr std::size_t kDeathsToComplainOf = 5;

Result<std::pair<Fd, Fd>> socket_pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return failure(ErrorCode::kIo, std::string("make a socket pair: ") + std::strerror(errno));
  }
  return std::pair<Fd, Fd>(Fd(ends[0]), Fd(ends[1]));
}

}  // namespace

LauncherLink::LauncherLink(boost::asio::io_context& loop, std::vector<std::string> command,
                           Handlers handlers)
    : loop_(loop),
      command_(std::move(command)),
      handlers_(std::move(handlers)),
      requests_(loop),
      death_(loop),
      again_(loop),
      buffer_(kLargestLaunchPacket) {}

LauncherLink::~LauncherLink() {
  if (pid_ <= 0) return;
  // It would go by itself; ending it now leaves no child behind, and dying is what it is made for.
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

Result<void> LauncherLink::start() {
  auto requests = socket_pair();
  if (!requests) return failure(std::move(requests.error()));
  auto reports = socket_pair();
  if (!reports) return failure(std::move(reports.error()));
  if (auto spawned = spawn(requests->second.get(), reports->second.get()); !spawned) return spawned;
  requests_.assign(requests->first.release());
  reports_.emplace_back(loop_, reports->first.release());
  const int death = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
  if (death < 0) {
    return failure(ErrorCode::kUnsupported,
                   std::string("watch the launcher (pidfd_open): ") + std::strerror(errno));
  }
  ::fcntl(death, F_SETFD, FD_CLOEXEC);
  death_.assign(death);
  wait_for_requests();
  wait_for_reports(std::prev(reports_.end()));
  wait_for_death();
  return {};
}

Result<void> LauncherLink::spawn(int request_end, int report_end) {
  // Out of the way of the numbers that they are to get.
  const Fd request(::fcntl(request_end, F_DUPFD_CLOEXEC, 10));
  const Fd report(::fcntl(report_end, F_DUPFD_CLOEXEC, 10));
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, request.get(), kRequestSocket);
  ::posix_spawn_file_actions_adddup2(&files, report.get(), kReportSocket);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  // Its own session: what is typed at the daemon's terminal is not meant for jobs.
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  std::vector<char*> arguments;
  for (std::string& word : command_) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::string descriptors = descriptors_for_child();
  char* environment[] = {descriptors.empty() ? nullptr : descriptors.data(), nullptr};
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, command_.front().c_str(), &files, &attributes,
                                  arguments.data(), environment);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  if (error != 0) {
    return failure(ErrorCode::kIo, "start " + command_.front() + ": " + std::strerror(error));
  }
  pid_ = pid;
  return {};
}

void LauncherLink::send(std::string packet, std::vector<Fd> files, AttemptId launch) {
  outbox_.push_back({launch, std::move(packet), std::move(files)});
  pump();
}

bool LauncherLink::withdraw(AttemptId launch) {
  return std::erase_if(outbox_, [&](const Outgoing& one) { return one.launch == launch; }) > 0;
}

void LauncherLink::pump() {
  while (ready_ && !outbox_.empty()) {
    const Outgoing& next = outbox_.front();
    std::vector<int> passed;
    for (const Fd& file : next.files) passed.push_back(file.get());
    const int error = send_packet(requests_.native_handle(), next.packet, passed, MSG_DONTWAIT);
    if (error == EAGAIN) pump_when_writable();
    if (error != 0) return;
    const AttemptId launch = next.launch;
    outbox_.pop_front();
    if (launch.number != 0) handlers_.sent(launch);
  }
}

void LauncherLink::pump_when_writable() {
  if (std::exchange(waiting_for_room_, true)) return;
  requests_.async_wait(Wait::wait_write, [this](const boost::system::error_code& problem) {
    if (problem == boost::asio::error::operation_aborted) return;
    waiting_for_room_ = false;
    pump();
  });
}

void LauncherLink::deliver(LaunchMessage& message, std::vector<Fd>& passed) {
  const bool of_mover = std::holds_alternative<MoverStarted>(message) ||
                        std::holds_alternative<MoverNotStarted>(message) ||
                        std::holds_alternative<MoverEnded>(message);
  if (!of_mover) {
    handlers_.message(message, passed);
  } else if (take_of_mover_) {
    take_of_mover_(message, passed);
  }
}

bool LauncherLink::read_packets(Descriptor& socket, int most) {
  for (int i = 0; i < most; ++i) {
    std::vector<Fd> passed;
    const ssize_t got = receive_packet(socket.native_handle(), buffer_.data(), buffer_.size(),
                                       passed, MSG_DONTWAIT);
    if (got < 0 && errno == EAGAIN) return true;
    if (got < 0 && errno == EMSGSIZE) continue;
    if (got <= 0) return false;
    auto message = decode_launch({buffer_.data(), static_cast<std::size_t>(got)});
    if (!message) {
      handlers_.complain(message.error().message);
      continue;
    }
    const auto* ready = std::get_if<LauncherReady>(&*message);
    if (ready == nullptr) {
      deliver(*message, passed);
      continue;
    }
    if (ready->version != kLaunchProtocolVersion) {
      handlers_.complain("the launcher " + command_.front() +
                         " is of another version than the daemon: restart the daemon");
      continue;
    }
    ready_ = true;
    handlers_.ready();
    pump();
  }
  return true;
}

void LauncherLink::wait_for_requests() {
  requests_.async_wait(Wait::wait_read, [this](const boost::system::error_code& problem) {
    if (problem == boost::asio::error::operation_aborted) return;
    // Its end is noticed by its death; until then there is nothing more to read.
    if (read_packets(requests_, kMostAtOnce)) wait_for_requests();
  });
}

void LauncherLink::wait_for_reports(Channels::iterator channel) {
  channel->async_wait(Wait::wait_read, [this, channel](const boost::system::error_code& problem) {
    if (problem == boost::asio::error::operation_aborted) return;
    if (read_packets(*channel, kMostAtOnce)) {
      wait_for_reports(channel);
    } else {
      reports_.erase(channel);
    }
  });
}

void LauncherLink::wait_for_death() {
  death_.async_wait(Wait::wait_read, [this](const boost::system::error_code& problem) {
    if (problem == boost::asio::error::operation_aborted) return;
    // An event of a descriptor closed a moment ago may reach us; to wait for a living launcher
    // would be to wait for ever.
    if (::waitpid(pid_, nullptr, WNOHANG) == 0) {
      wait_for_death();
    } else {
      on_death();
    }
  });
}

void LauncherLink::on_death() {
  pid_ = 0;
  stillborn_ = ready_ ? 0 : stillborn_ + 1;
  ready_ = false;
  waiting_for_room_ = false;
  boost::system::error_code ignored;
  // What it said before it died counts.
  while (read_packets(requests_, kMostAtOnce)) {
    pollfd more{requests_.native_handle(), POLLIN, 0};
    if (::poll(&more, 1, 0) <= 0) break;
  }
  ready_ = false;
  requests_.close(ignored);
  death_.close(ignored);
  handlers_.lost();

  const auto now = Clock::now();
  deaths_.push_back(now);
  while (!deaths_.empty() && now - deaths_.front() > std::chrono::minutes(1)) deaths_.pop_front();
  if (deaths_.size() >= kDeathsToComplainOf) {
    handlers_.complain("the launcher " + command_.front() + " has ended " +
                       std::to_string(deaths_.size()) + " times within a minute");
  }
  start_again();
}

void LauncherLink::start_again() {
  // One that was at work is replaced at once, so that jobs do not wait; one that cannot even get
  // ready, or that dies all the time, is tried more and more rarely.
  constexpr std::size_t kTooMany = 30;
  std::chrono::milliseconds pause{0};
  if (stillborn_ > 0) pause = std::chrono::milliseconds{20 << std::min(stillborn_, 8)};
  if (deaths_.size() > kTooMany) pause = std::max(pause, std::chrono::milliseconds{1000});
  again_.expires_after(pause);
  again_.async_wait([this](const boost::system::error_code& problem) {
    if (problem == boost::asio::error::operation_aborted) return;
    if (auto started = start(); !started) {
      handlers_.complain(started.error().message);
      ++stillborn_;
      start_again();
    }
  });
}

}  // namespace gpusched
