#include "http/packet_pipe.h"

#include <sys/socket.h>

#include <boost/asio/error.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <optional>
#include <utility>

namespace gpusched {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kLengthBytes = 4;
constexpr std::size_t kClientPiece = 16U << 10;
// To the client at once.
constexpr std::size_t kSocketPiece = 64U << 10;
// In one turn of the loop; others go first then.
constexpr int kPacketsPerTurn = 64;
// How often a client that is told nothing else is told that.
constexpr std::chrono::milliseconds kBeat{15'000};

void append_packet(std::string& out, std::string_view packet) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    out += static_cast<char>((packet.size() >> shift) & 0xff);
  }
  out += packet;
}

// Of the packet at the front. Nullopt: its length has not come yet.
std::optional<std::size_t> length_of(std::string_view bytes) {
  if (bytes.size() < kLengthBytes) return std::nullopt;
  std::size_t length = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    length = length << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return length;
}

}  // namespace

PacketPipe::PacketPipe(asio::io_context& loop, ByteStream& client, std::shared_ptr<Upgrade> upgrade,
                       Owner owner)
    : client_(client),
      socket_(loop, upgrade->socket.release()),
      upgrade_(std::move(upgrade)),
      owner_(std::move(owner)),
      alive_(loop),
      piece_(kClientPiece),
      packet_(upgrade_->packet_most) {}

void PacketPipe::start(std::string first) {
  incoming_ = std::move(first);
  turn(&PacketPipe::pass_on);
  turn(&PacketPipe::write_client);
  beat();
}

void PacketPipe::beat() {
  alive_.set(kBeat, owner_.keep(), [this] {
    if (closed_) return;
    beat();
    if (!writing_) answer({});
  });
}

void PacketPipe::close() {
  closed_ = true;
  alive_.cancel();
  ErrorOf ignored;
  socket_.close(ignored);
}

void PacketPipe::turn(void (PacketPipe::*what)()) {
  owner_.give_turn([this, what, keep = owner_.keep()] {
    if (!closed_) (this->*what)();
  });
}

void PacketPipe::read_client() {
  client_.async_read_some(asio::buffer(piece_),
                          [this, keep = owner_.keep()](ErrorOf fault, std::size_t bytes) {
                            if (!closed_) on_client(fault, bytes);
                          });
}

void PacketPipe::on_client(ErrorOf fault, std::size_t bytes) {
  if (fault && fault != asio::error::eof) return owner_.over();
  if (fault) {
    client_ended_ = true;
    if (socket_ended_) return owner_.over();
    // All that came before has been passed on.
    ::shutdown(socket_.native_handle(), SHUT_WR);
    return owner_.ending();
  }
  if (!socket_deaf_) incoming_.append(piece_.data(), bytes);
  turn(&PacketPipe::pass_on);
}

void PacketPipe::pass_on() {
  switch (pass_packets()) {
    case Passed::kAll:
      return read_client();
    case Passed::kSome:
      return turn(&PacketPipe::pass_on);
    case Passed::kOver:
      return owner_.over();
    case Passed::kFull:
      break;
  }
  socket_.async_wait(asio::posix::stream_descriptor::wait_write,
                     [this, keep = owner_.keep()](ErrorOf) {
                       if (!closed_) turn(&PacketPipe::pass_on);
                     });
}

PacketPipe::Passed PacketPipe::pass_packets() {
  std::size_t at = 0;
  Passed passed = Passed::kSome;
  for (int i = 0; i < kPacketsPerTurn && passed == Passed::kSome; ++i) {
    const std::string_view rest = std::string_view(incoming_).substr(at);
    const auto length = length_of(rest);
    if (length && *length > upgrade_->packet_most) return Passed::kOver;
    if (!allowed()) return Passed::kOver;
    if (socket_deaf_) at = incoming_.size();
    if (socket_deaf_ || !length || rest.size() < kLengthBytes + *length) {
      passed = Passed::kAll;
    } else if (pass(rest.substr(kLengthBytes, *length))) {
      at += kLengthBytes + *length;
    } else {
      passed = Passed::kFull;
    }
  }
  incoming_.erase(0, at);
  return passed;
}

bool PacketPipe::pass(std::string_view packet) {
  if (packet.empty()) return true;
  if (const auto own = upgrade_->answer_to(packet)) {
    answer(*own);
    return true;
  }
  while (::send(socket_.native_handle(), packet.data(), packet.size(),
                MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
    if (errno == EAGAIN) return false;
    if (errno == EINTR) continue;
    socket_deaf_ = true;  // What it has said before is still to be read.
    return true;
  }
  return true;
}

void PacketPipe::answer(std::string_view packet) {
  // Who asks for nonsense without reading what becomes of it has heard enough.
  if (answers_.size() < kSocketPiece) append_packet(answers_, packet);
  write_client();
}

void PacketPipe::write_client() {
  if (writing_ || closed_) return;
  if (!allowed()) return owner_.over();
  gather();
  if (!outgoing_.empty()) {
    writing_ = true;
    asio::async_write(client_, asio::buffer(outgoing_),
                      [this, keep = owner_.keep()](ErrorOf fault, std::size_t) {
                        if (closed_) return;
                        if (fault) return owner_.over();
                        owner_.give_turn([this, keep] {
                          writing_ = false;
                          write_client();
                        });
                      });
    return;
  }
  if (socket_ended_) return end_client();
  if (std::exchange(waiting_, true)) return;
  socket_.async_wait(asio::posix::stream_descriptor::wait_read,
                     [this, keep = owner_.keep()](ErrorOf) {
                       waiting_ = false;
                       if (!closed_) turn(&PacketPipe::write_client);
                     });
}

void PacketPipe::gather() {
  outgoing_ = std::exchange(answers_, {});
  while (!socket_ended_ && outgoing_.size() < kSocketPiece && take_packet()) {
  }
}

// False: there is none now.
bool PacketPipe::take_packet() {
  ssize_t got = -1;
  // A socket that went without reading everything says so first, and then what it had sent.
  for (int tries = 0; tries < 3 && got < 0; ++tries) {
    got = ::recv(socket_.native_handle(), packet_.data(), packet_.size(), MSG_DONTWAIT | MSG_TRUNC);
    if (got < 0 && errno == EAGAIN) return false;
  }
  socket_ended_ = got <= 0 || static_cast<std::size_t>(got) > packet_.size();
  if (socket_ended_) return false;
  append_packet(outgoing_, {packet_.data(), static_cast<std::size_t>(got)});
  return true;
}

// The client has a moment to take it, and what it still sends is dropped.
void PacketPipe::end_client() {
  if (client_ended_) return owner_.over();
  socket_deaf_ = true;
  client_.end_writing();
  owner_.ending();
}

}  // namespace gpusched
