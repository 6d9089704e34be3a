// One stream of the daemon for all threads of a process. Each of its lines is about one number, and
// whoever waits for that number gets it. There is no thread for this: one of those who wait reads
// for all, and hands over when it goes.
#pragma once

#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "client/line_stream.h"
#include "scheduler/open_socket.h"

namespace gpusched::library {

class DaemonFeed {
 public:
  using NumberOf = std::function<std::optional<std::uint64_t>(const std::string& line)>;
  DaemonFeed(std::vector<std::string> sockets, std::string target, NumberOf number_of);

  // Keeps the newest line about a number from its making on, if the stream is open.
  class Place {
   public:
    Place(DaemonFeed& feed, std::uint64_t number);
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

   private:
    friend class DaemonFeed;
    DaemonFeed& feed_;
    const std::uint64_t number_;
    std::optional<std::string> line_;
    std::condition_variable wake_;
    bool waits_ = false;
  };

  // Opens the stream unless it is open, and says which it is: another one is open later if lines
  // may have been missed.
  Result<std::uint64_t> open();
  enum class Came : std::uint8_t { kLine, kBroken, kLate };
  // Waits for a line; kBroken: that stream is over.
  Came next(Place& place, std::uint64_t stream, Boot deadline, std::string& line);
  // Closes what nobody has waited on for a while: what nobody reads need not be told.
  void rest();
  // In the child of a fork, whose parent this is of.
  void abandon() const { open_.close_copy(); }

 private:
  void read_for_all(std::unique_lock<std::mutex>& lock, Microseconds most);
  void hand_over(const Place& from);
  void close();

  const Client client_;
  const std::string target_;
  const NumberOf number_of_;
  std::mutex mutex_;
  std::condition_variable opened_;
  bool opening_ = false;
  bool reading_ = false;
  std::shared_ptr<LineStream> stream_;
  std::uint64_t number_of_stream_ = 0;
  Boot used_{};
  std::list<Place*> places_;
  OpenSocket open_;
};

}  // namespace gpusched::library
