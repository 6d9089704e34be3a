// A connection that has been upgraded: packets of the client go to a socket of this machine, and
// its packets to the client. In the byte stream each has its length before it, four bytes, the
// highest first; an empty one means nothing, and tells the client now and then that it is still
// heard. Whoever does not read holds up the other side and
// nobody else: of each direction one piece is held, and no more is read before it is gone.
// Internal to the server; it does not know what is in the packets.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "http/byte_stream.h"
#include "http/restartable_timer.h"
#include "http/types.h"

namespace gpusched {

class PacketPipe {
 public:
  // Whose connection it is. Everything is called on the loop.
  struct Owner {
    std::function<std::shared_ptr<void>()> keep;  // Holds it alive while something is under way.
    std::function<void(std::function<void()>)> give_turn;
    std::function<void()> ending;  // One side has ended; the other one has a moment left.
    std::function<void()> over;    // Nothing more will come either way.
  };

  // REQUIRES: `client` lives longer.
  PacketPipe(boost::asio::io_context& loop, ByteStream& client, std::shared_ptr<Upgrade> upgrade,
             Owner owner);

  // `first`: what the client has sent before.
  void start(std::string first);
  void close();

 private:
  using ErrorOf = boost::system::error_code;
  void read_client();
  void on_client(ErrorOf fault, std::size_t bytes);
  void pass_on();
  enum class Passed : unsigned char { kAll, kSome, kFull, kOver };
  Passed pass_packets();
  bool pass(std::string_view packet);  // False: there is no room for it now.
  void answer(std::string_view packet);
  void write_client();
  void gather();
  bool take_packet();
  void end_client();
  void beat();
  bool allowed() const { return !upgrade_->may_go_on || upgrade_->may_go_on(); }
  void turn(void (PacketPipe::*what)());

  ByteStream& client_;
  boost::asio::posix::stream_descriptor socket_;
  std::shared_ptr<Upgrade> upgrade_;
  Owner owner_;
  RestartableTimer alive_;
  std::vector<char> piece_;    // Of the client, as it was read.
  std::string incoming_;       // Of the client, not passed on yet.
  std::string answers_;        // Of our own, to the client.
  std::string outgoing_;       // On its way to the client.
  std::vector<char> packet_;   // Of the socket, as it was read.
  bool writing_ = false;       // To the client.
  bool waiting_ = false;       // For the socket to have something.
  bool socket_deaf_ = false;   // It takes no more; what the client sends is dropped.
  bool socket_ended_ = false;  // It sends no more.
  bool client_ended_ = false;  // It sends no more.
  bool closed_ = false;
};

}  // namespace gpusched
