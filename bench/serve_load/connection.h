// One connection of the load generator: bytes out, answers in, over TLS or plain. It never waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "answer_reader.h"
#include "base/result.h"
#include "os/fd.h"
#include "tls/context.h"
#include "tls/session.h"

namespace gpusched {

class Connection {
 public:
  // Connects and shakes hands; this is the one call that waits. `address`: of this machine's
  // loopback, from which it comes; 0: any.
  static Result<std::unique_ptr<Connection>> open(std::uint16_t port, std::uint32_t address,
                                                  const std::shared_ptr<const TlsContext>& tls);

  int descriptor() const { return socket_.get(); }
  void send(std::string_view bytes);
  // Moves what can be moved. False: the connection has ended, or says what is no HTTP.
  bool go_on();
  // What poll() is to wait for.
  short wants() const;
  AnswerReader& answers() { return answers_; }

 private:
  bool write_on();
  bool read_on();

  Fd socket_;
  std::unique_ptr<TlsSession> tls_;  // Null: plain.
  std::string out_;
  bool write_waits_ = false;
  AnswerReader answers_;
};

}  // namespace gpusched
