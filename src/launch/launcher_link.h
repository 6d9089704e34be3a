// The daemon's connection to gpusched-launcher: starts it (posix_spawn, never fork), notices its
// death, starts it again, and carries packets both ways. Private to launch/: it shows Asio.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/model/ids.h"
#include "jobdir/launch_protocol.h"
#include "os/fd.h"

namespace gpusched {

class LauncherLink {
 public:
  struct Handlers {
    std::function<void()> ready;  // It has the lock.
    std::function<void()> lost;   // It is dead, and everything it had said has been delivered.
    std::function<void(AttemptId)> sent;  // The order to launch this one.
    std::function<void(LaunchMessage&, std::vector<Fd>&)> message;
    std::function<void(const std::string&)> complain;
  };

  LauncherLink(boost::asio::io_context& loop, std::vector<std::string> command, Handlers handlers);
  ~LauncherLink();
  LauncherLink(const LauncherLink&) = delete;
  LauncherLink& operator=(const LauncherLink&) = delete;

  Result<void> start();
  bool ready() const { return ready_; }
  int pid() const { return pid_; }
  // To the launcher that is or will be, in the order of the calls. `launch`: whom it is to launch.
  void send(std::string packet, std::vector<Fd> files = {}, AttemptId launch = {});
  // It was not sent, and never will be. False: there is nothing of the kind.
  bool withdraw(AttemptId launch);
  // What it says of movers goes there.
  void on_mover(std::function<void(const LaunchMessage&, std::vector<Fd>&)> take) {
    take_of_mover_ = std::move(take);
  }

 private:
  using Descriptor = boost::asio::posix::stream_descriptor;
  // Shims of an earlier launcher report over its socket for as long as they live.
  using Channels = std::list<Descriptor>;

  struct Outgoing {
    AttemptId launch;  // Number 0: none.
    std::string packet;
    std::vector<Fd> files;
  };

  void pump();
  void pump_when_writable();
  void deliver(LaunchMessage& message, std::vector<Fd>& passed);
  Result<void> spawn(int request_end, int report_end);
  void wait_for_requests();
  void wait_for_reports(Channels::iterator channel);
  void wait_for_death();
  // False: the other side has closed.
  bool read_packets(Descriptor& socket, int most);
  void on_death();
  void start_again();

  boost::asio::io_context& loop_;
  std::vector<std::string> command_;
  Handlers handlers_;
  std::function<void(const LaunchMessage&, std::vector<Fd>&)> take_of_mover_;
  std::deque<Outgoing> outbox_;
  int pid_ = 0;
  bool ready_ = false;
  bool waiting_for_room_ = false;
  Descriptor requests_;
  Descriptor death_;
  Channels reports_;
  boost::asio::steady_timer again_;
  std::deque<std::chrono::steady_clock::time_point> deaths_;  // Of the last minute.
  int stillborn_ = 0;  // How many in a row died before they were ready.
  std::vector<char> buffer_;
};

}  // namespace gpusched
