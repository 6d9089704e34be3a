// Answers that last: streams, waits, held leases. They end with the right by which they began: a
// token that is revoked or expires, a login that ends, an account that is gone, a role that is
// lower than it was. The one place that looks after them.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <vector>

#include "api/authenticate.h"
#include "base/time.h"
#include "http/types.h"

namespace gpusched {

class LastingAnswers {
 public:
  struct Ports {
    std::function<Now()> now;
    std::function<const Token*(const std::string& id)> token;  // Null: there is none.
    Logins* logins = nullptr;
    std::function<void(const Principal& who, const Authenticator::Known& known)> ask_again;
  };
  LastingAnswers(boost::asio::io_context& loop, Ports ports);
  ~LastingAnswers();

  // From here on the answer may be cut off.
  void add(const Principal& who, const Responder& responder);
  // Tokens or logins may have changed: ends what has lost its own. Costs a look for each answer.
  void look();
  // Accounts or roles may have: they are asked for.
  void look_closely();
  std::size_t size() const { return answers_.size(); }

 private:
  struct Answer {
    Principal who;
    Responder responder;
  };
  void forget_gone();
  void wait();

  Ports ports_;
  std::vector<Answer> answers_;
  std::size_t tidy_at_;
  boost::asio::steady_timer timer_;
  std::shared_ptr<bool> lives_ = std::make_shared<bool>();
};

}  // namespace gpusched
