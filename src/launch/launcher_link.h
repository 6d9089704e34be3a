// The daemon's connection to gpusched-launcher: starts it (posix_spawn, never fork), notices its
// death, starts it again, and carries packets both ways. Private to process/: it shows Asio.
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
#include "jobdir/launch_protocol.h"
#include "os/fd.h"

namespace gpusched {

class LauncherLink {
 public:
  struct Handlers {
    std::function<void()> ready;     // It has the lock; requests may be sent.
    std::function<void()> lost;      // It is dead, and everything it had said has been delivered.
    std::function<void()> writable;  // After send() answered "not now".
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
  // False: not now. Either it is not ready, or its socket is full and writable() will follow.
  bool send(const std::string& packet, const std::vector<int>& passed);

 private:
  using Descriptor = boost::asio::posix::stream_descriptor;
  // Shims of an earlier launcher report over its socket for as long as they live.
  using Channels = std::list<Descriptor>;

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
