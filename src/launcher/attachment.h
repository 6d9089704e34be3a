// The terminal of a `run` job: a pty or three pipes between the command and one client, with a
// copy of all output in the log. Output made before a client came is held back in the kernel (the
// command waits when its buffer is full), so nothing is lost and nothing grows.
#pragma once

#include <poll.h>

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "core/model/job.h"
#include "jobdir/control_protocol.h"
#include "os/fd.h"

namespace gpusched {

class Attachment {
 public:
  static Result<Attachment> open(Attach kind, int rows, int columns);

  // What becomes 0, 1 and 2 of the command; closed here once it has started.
  int command_end(int stream) const;
  void close_command_ends();
  // The terminal's device becomes the submitter's, so that the job may open it by name.
  void give_to(std::uint32_t uid) const;
  // Where output is copied to; `error` is equal to `output` unless split. Not owned.
  void set_logs(int output, int error) { logs_[0] = output, logs_[1] = error; }

  bool was_attached() const { return was_attached_; }
  // Nobody has it, and nobody has left it without a word.
  bool may_attach() const { return !client_ && (!was_attached_ || let_go_); }
  void attach(Fd client, const AttachRequest& request);
  // The same from afar; also who has it with this key already.
  bool may_attach(const AttachFromAfar& request) const {
    return may_attach() || (afar_ && afar_->key == request.key);
  }
  void attach(Fd client, const AttachFromAfar& request);
  // The client asks to leave the job to itself; true once. Who keeps that in mind calls detach().
  bool take_detach_asked() { return std::exchange(detach_asked_, false); }
  // From now on the job goes on without a client; one may come and go.
  void detach();
  void refuse(const std::string& why);
  // The client has gone without a word; true once.
  bool take_vanished();

  void resize(int rows, int columns);

  // One round of the loop: what to wait for, then what became ready.
  void add_polls(std::vector<pollfd>& polls) const;
  void on_poll(const pollfd& ready);

  // The command's tree is gone: takes what is still in the kernel into the log and the queue.
  void drain();
  // After drain(): the last message. The client is let go when it has got it.
  void finish(const JobExit& last);
  bool flushed() const { return !client_.valid() || outgoing_.empty(); }

 private:
  struct Source {
    Fd fd;
    bool is_error = false;
  };

  bool may_read() const { return detached_ || (client_ && outgoing_.size() < 4); }
  bool read_source(Source& source);
  void copy_to_log(const Source& source, std::string_view bytes);
  void on_client(short events);
  void take_message(std::string_view packet);
  void flush();
  void feed_input();
  void lose_client();

  Attach kind_ = Attach::kNone;
  Fd command_ends_[3];
  std::vector<Source> sources_;  // The master; or stdout and stderr.
  Fd input_;                     // Pipes only; a pty takes input through its master.
  std::string pending_input_;
  bool input_ended_ = false;
  int logs_[2] = {-1, -1};
  Fd client_;
  std::optional<AttachFromAfar> afar_;  // How it came, or the last one did.
  std::deque<std::string> outgoing_;
  bool was_attached_ = false;
  bool detached_ = false;
  bool detach_asked_ = false;
  bool let_go_ = false;  // It has been left to itself once.
  bool vanished_ = false;
  bool finished_ = false;
};

}  // namespace gpusched
