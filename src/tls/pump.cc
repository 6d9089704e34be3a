#include "tls/pump.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "os/clock.h"

namespace gpusched {
namespace {

using Said = TlsSession::Said;
constexpr std::size_t kPiece = 16U << 10;

tl::unexpected<Error> broken(const TlsSession& session) {
  return failure(ErrorCode::kUnavailable, session.fault());
}

// What is on its way in one direction, and how far it is.
struct Piece {
  std::string bytes;
  std::size_t gone = 0;

  bool empty() const { return gone == bytes.size(); }
  const char* rest() const { return bytes.data() + gone; }
  std::size_t size() const { return bytes.size() - gone; }
};

bool would_wait() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

// False: nobody reads there any more.
bool hand_out(Piece& piece, int out) {
  while (!piece.empty()) {
    ssize_t sent = ::send(out, piece.rest(), piece.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && errno == ENOTSOCK) sent = ::write(out, piece.rest(), piece.size());
    if (sent < 0) return would_wait();
    piece.gone += static_cast<std::size_t>(sent);
  }
  return true;
}

class Pump {
 public:
  Pump(TlsSession& session, int socket, int in, int out)
      : session_(session), socket_(socket), in_(in), out_(out) {}

  Result<void> run() {
    while (true) {
      wants_ = POLLIN;
      if (auto sent = send_on(); !sent) return sent;
      bool ended = false;
      if (auto read = receive(ended); !read) return read;
      if (ended || !hand_out(to_user_, out_)) break;
      // More may be waiting inside of the session, where poll() does not see it.
      if (to_user_.empty() && got_some_) continue;
      if (!wait()) break;
    }
    session_.end();
    return {};
  }

 private:
  Result<void> send_on() {
    while (!to_server_.empty()) {
      std::size_t sent = 0;
      const Said said = session_.write(to_server_.rest(), to_server_.size(), sent);
      if (said == Said::kFault) return broken(session_);
      if (said == Said::kWantsToWrite) wants_ |= POLLOUT;
      if (said != Said::kDone) break;
      to_server_.gone += sent;
    }
    return {};
  }

  Result<void> receive(bool& ended) {
    got_some_ = false;
    if (!to_user_.empty()) return {};
    to_user_ = {std::string(kPiece, '\0'), 0};
    std::size_t got = 0;
    const Said said = session_.read(to_user_.bytes.data(), kPiece, got);
    to_user_.bytes.resize(said == Said::kDone ? got : 0);
    if (said == Said::kFault) return broken(session_);
    if (said == Said::kWantsToWrite) wants_ |= POLLOUT;
    ended = said == Said::kEnd;
    got_some_ = said == Said::kDone;
    return {};
  }

  // False: the user has gone.
  bool wait() {
    std::array<pollfd, 3> entries = {
        pollfd{socket_, static_cast<short>(to_user_.empty() ? wants_ : wants_ & ~POLLIN), 0},
        pollfd{to_server_.empty() ? in_ : -1, POLLIN, 0},
        pollfd{to_user_.empty() ? -1 : out_, POLLOUT, 0}};
    if (::poll(entries.data(), entries.size(), -1) < 0) return errno == EINTR;
    if (entries[1].revents == 0) return true;
    to_server_ = {std::string(kPiece, '\0'), 0};
    const ssize_t got = ::read(in_, to_server_.bytes.data(), kPiece);
    const bool later = got < 0 && would_wait();
    to_server_.bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return got > 0 || later;
  }

  TlsSession& session_;
  int socket_, in_, out_;
  Piece to_server_, to_user_;
  int wants_ = 0;
  bool got_some_ = false;
};

}  // namespace

Result<void> shake_hands(TlsSession& session, int socket, int most_ms, int user) {
  const Boot until = read_clock().boot + std::chrono::milliseconds(most_ms);
  while (true) {
    const Said said = session.handshake();
    if (said == Said::kDone) return {};
    if (said == Said::kFault && session.heard_no_tls()) {
      return failure(ErrorCode::kUnsupported,
                     "what answers there speaks no TLS; plain HTTP is http://, for this machine "
                     "alone");
    }
    if (said == Said::kFault || said == Said::kEnd) return broken(session);
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - read_clock().boot);
    std::array<pollfd, 2> entries = {
        pollfd{socket, static_cast<short>(said == Said::kWantsToRead ? POLLIN : POLLOUT), 0},
        pollfd{user, 0, 0}};
    const int most = static_cast<int>(std::max<std::int64_t>(left.count(), 0));
    const int ready = ::poll(entries.data(), entries.size(), most);
    if (ready > 0 && entries[1].revents != 0) {
      return failure(ErrorCode::kUnavailable, "nobody asks any more");
    }
    if (ready == 0) return failure(ErrorCode::kUnavailable, "it does not finish its handshake");
    if (ready < 0 && errno != EINTR) {
      return failure(ErrorCode::kIo, std::string("wait for it: ") + std::strerror(errno));
    }
  }
}

Result<void> pump(TlsSession& session, int socket, int in, int out) {
  return Pump(session, socket, in, out).run();
}

}  // namespace gpusched
