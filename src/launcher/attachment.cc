#include "launcher/attachment.h"

#include <fcntl.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "jobdir/packet.h"

namespace gpusched {
namespace {

winsize window_of(int rows, int columns) {
  winsize size{};
  size.ws_row = static_cast<unsigned short>(rows);
  size.ws_col = static_cast<unsigned short>(columns);
  return size;
}

tl::unexpected<Error> cannot(const char* what) {
  return failure(ErrorCode::kIo, std::string("cannot make ") + what + ": " + std::strerror(errno));
}

}  // namespace

Result<Attachment> Attachment::open(Attach kind, int rows, int columns) {
  Attachment made;
  made.kind_ = kind;
  if (kind == Attach::kPty) {
    int master = -1;
    int slave = -1;
    const winsize size = window_of(rows, columns);
    if (::openpty(&master, &slave, nullptr, nullptr, &size) != 0) return cannot("a terminal");
    ::fcntl(master, F_SETFD, FD_CLOEXEC);
    ::fcntl(slave, F_SETFD, FD_CLOEXEC);
    ::fcntl(master, F_SETFL, ::fcntl(master, F_GETFL) | O_NONBLOCK);
    made.sources_.push_back({Fd(master), false});
    made.command_ends_[0].reset(slave);
    return made;
  }
  int ends[3][2];
  for (int stream = 0; stream < 3; ++stream) {
    if (::pipe2(ends[stream], O_CLOEXEC) != 0) return cannot("a pipe");
    const bool input = stream == 0;
    made.command_ends_[stream].reset(ends[stream][input ? 0 : 1]);
    Fd ours(ends[stream][input ? 1 : 0]);
    ::fcntl(ours.get(), F_SETFL, O_NONBLOCK);
    if (input) {
      made.input_ = std::move(ours);
    } else {
      made.sources_.push_back({std::move(ours), stream == 2});
    }
  }
  return made;
}

int Attachment::command_end(int stream) const {
  return command_ends_[kind_ == Attach::kPty ? 0 : stream].get();
}

void Attachment::close_command_ends() {
  for (Fd& end : command_ends_) end.reset();
}

void Attachment::give_to(std::uint32_t uid) const {
  if (kind_ != Attach::kPty) return;
  // Ignoring failure: standard input and output work without it.
  if (::fchown(command_ends_[0].get(), uid, static_cast<gid_t>(-1)) != 0) return;
}

void Attachment::attach(Fd client, const AttachFromAfar& request) {
  attach(std::move(client), AttachRequest{request.rows, request.columns});
  afar_ = request;
}

void Attachment::attach(Fd client, const AttachRequest& request) {
  client_ = std::move(client);
  afar_.reset();
  detach_asked_ = false;
  was_attached_ = true;
  detached_ = false;
  resize(request.rows, request.columns);
  outgoing_.push_front(encode(Attached{kind_ == Attach::kPty}));
  flush();
}

void Attachment::detach() {
  client_.reset();
  outgoing_.clear();
  detached_ = was_attached_ = let_go_ = true;
}

void Attachment::refuse(const std::string& why) {
  outgoing_.push_back(encode(Refused{why}));
  flush();
}

void Attachment::lose_client() {
  client_.reset();
  outgoing_.clear();
  // From here on output only goes to the log; the shim decides what becomes of the job.
  detached_ = true;
  if (afar_) {
    // The network went, not they.
    detach_asked_ = !finished_;
    return;
  }
  vanished_ = !finished_ && !let_go_;
}

bool Attachment::take_vanished() { return std::exchange(vanished_, false); }

void Attachment::resize(int rows, int columns) {
  if (kind_ != Attach::kPty || rows <= 0 || columns <= 0 || sources_.empty()) return;
  const winsize size = window_of(rows, columns);
  ::ioctl(sources_.front().fd.get(), TIOCSWINSZ, &size);
}

void Attachment::add_polls(std::vector<pollfd>& polls) const {
  for (const Source& source : sources_) {
    short events = may_read() ? POLLIN : 0;
    if (kind_ == Attach::kPty && !pending_input_.empty()) events |= POLLOUT;
    // Without interest poll() would still report the end of a pipe, over and over.
    if (events != 0) polls.push_back({source.fd.get(), events, 0});
  }
  if (input_ && !pending_input_.empty()) polls.push_back({input_.get(), POLLOUT, 0});
  if (client_) {
    short events = pending_input_.size() < kControlChunk ? POLLIN : 0;
    if (!outgoing_.empty()) events |= POLLOUT;
    polls.push_back({client_.get(), events, 0});
  }
}

void Attachment::on_poll(const pollfd& ready) {
  if (client_ && ready.fd == client_.get()) {
    on_client(ready.revents);
    return;
  }
  if (input_ && ready.fd == input_.get()) {
    feed_input();
    return;
  }
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    if (sources_[i].fd.get() != ready.fd) continue;
    if ((ready.revents & POLLOUT) != 0) feed_input();
    if ((ready.revents & (POLLIN | POLLHUP | POLLERR)) != 0 && may_read() &&
        !read_source(sources_[i])) {
      sources_.erase(sources_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return;
  }
}

// False: this source has ended.
bool Attachment::read_source(Source& source) {
  char buffer[kControlChunk];
  const ssize_t got = ::read(source.fd.get(), buffer, sizeof buffer);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (got <= 0) return false;  // A pty ends with EIO.
  std::string bytes(buffer, static_cast<std::size_t>(got));
  copy_to_log(source, bytes);
  if (client_ || !detached_) {
    outgoing_.push_back(source.is_error ? encode(ErrorData{std::move(bytes)})
                                        : encode(OutputData{std::move(bytes)}));
    flush();
  }
  return true;
}

void Attachment::copy_to_log(const Source& source, std::string_view bytes) {
  const int log = logs_[source.is_error ? 1 : 0];
  while (log >= 0 && !bytes.empty()) {
    const ssize_t wrote = ::write(log, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return;  // A full disk costs the copy, not the job.
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

void Attachment::on_client(short events) {
  if ((events & POLLOUT) != 0) flush();
  if (!client_) return;
  if ((events & POLLIN) != 0) {
    std::string buffer(kLargestControlPacket, '\0');
    std::vector<Fd> passed;
    const ssize_t got =
        receive_packet(client_.get(), buffer.data(), buffer.size(), passed, MSG_DONTWAIT);
    if (got > 0) {
      take_message({buffer.data(), static_cast<std::size_t>(got)});
      return;
    }
    if (got < 0 && (errno == EAGAIN || errno == EMSGSIZE)) return;
    lose_client();
    return;
  }
  if ((events & (POLLHUP | POLLERR)) != 0) lose_client();
}

void Attachment::take_message(std::string_view packet) {
  const auto message = decode_control(packet);
  if (!message) {
    outgoing_.push_back(encode(Refused{message.error().message}));
    flush();
    return;
  }
  if (const auto* data = std::get_if<InputData>(&*message)) {
    if (!input_ended_) pending_input_ += data->bytes;
    feed_input();
  } else if (std::holds_alternative<InputEnd>(*message)) {
    input_ended_ = true;
    // A terminal's end of input is a character; cooked mode makes the rest of it.
    if (kind_ == Attach::kPty) pending_input_.push_back('\x04');
    feed_input();
  } else if (const auto* window = std::get_if<WindowSize>(&*message)) {
    resize(window->rows, window->columns);
  } else if (std::holds_alternative<Detach>(*message)) {
    detach_asked_ = true;
  } else if (afar_ && std::holds_alternative<HangUp>(*message)) {
    client_.reset();
    outgoing_.clear();
    detached_ = true;
    vanished_ = !finished_;
  } else {
    outgoing_.push_back(encode(Refused{"send this on a connection of its own"}));
    flush();
  }
}

void Attachment::feed_input() {
  const bool pty = kind_ == Attach::kPty;
  const int to = pty ? (sources_.empty() ? -1 : sources_.front().fd.get()) : input_.get();
  while (to >= 0 && !pending_input_.empty()) {
    const ssize_t wrote = ::write(to, pending_input_.data(), pending_input_.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0 && errno == EAGAIN) return;
    if (wrote < 0) {  // Nobody reads any more.
      pending_input_.clear();
      input_.reset();
      return;
    }
    pending_input_.erase(0, static_cast<std::size_t>(wrote));
  }
  if (to < 0) pending_input_.clear();
  if (input_ended_ && pending_input_.empty()) input_.reset();
}

void Attachment::flush() {
  while (client_ && !outgoing_.empty()) {
    const int error = send_packet(client_.get(), outgoing_.front(), {}, MSG_DONTWAIT);
    if (error == EAGAIN) return;
    if (error != 0) {
      lose_client();
      return;
    }
    outgoing_.pop_front();
  }
}

void Attachment::drain() {
  // The writers are gone, so each source ends by itself: a pipe's worth at most.
  for (Source& source : sources_) {
    for (int pieces = 0; pieces < 1024; ++pieces) {
      const std::size_t before = outgoing_.size();
      if (!read_source(source)) break;
      pollfd more{source.fd.get(), POLLIN, 0};
      if (outgoing_.size() == before && ::poll(&more, 1, 0) <= 0) break;
    }
  }
  sources_.clear();
  pending_input_.clear();
  input_.reset();
}

void Attachment::finish(const JobExit& last) {
  finished_ = true;
  outgoing_.push_back(encode(last));
  flush();
}

}  // namespace gpusched
