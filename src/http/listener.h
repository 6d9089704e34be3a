// Accepts connections on a listening stream socket of any kind.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>

#include "os/fd.h"

namespace gpusched {

class Listener {
 public:
  // REQUIRES: lives until stop() and the loop has run what was pending; `accepted` may stop it.
  Listener(boost::asio::io_context& loop, std::function<void(Fd socket)> accepted);

  // Takes the descriptor over; in place of the one before, if there is one.
  void listen(Fd socket);
  // Lets in who has connected so far, then stops: nobody is turned away who came in time.
  void finish();
  void stop();
  int descriptor() { return socket_.is_open() ? socket_.native_handle() : -1; }

 private:
  void wait();
  void accept_all();
  // False: there is nobody more for now; errno says why.
  bool accept_one();

  boost::asio::posix::stream_descriptor socket_;
  boost::asio::steady_timer pause_;
  std::function<void(Fd)> accepted_;
  std::shared_ptr<bool> lives_ = std::make_shared<bool>();  // The loop may outlive this.
};

}  // namespace gpusched
