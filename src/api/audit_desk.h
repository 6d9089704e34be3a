// What the API tells the audit. Changes go into it by themselves, with the engine's commit
// (Asked); here is who asked for them, and what was refused or changes nothing in the engine.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "core/model/audit.h"
#include "http/types.h"

namespace boost::asio {
class io_context;
}

namespace gpusched {

class Engine;

// One that asks, as the audit has it.
AuditEntry entry_of(const Peer& peer, const Principal& actor);
// What it is done to: "17,20?user=ml1". Shortened if it is long.
std::string audit_target(const std::vector<std::string>& captured, const HttpRequest& request);
// A key that is long is shown by its beginning.
std::string audit_key(const std::string& key);

class AuditDesk {
 public:
  AuditDesk(boost::asio::io_context& loop, Engine& engine, std::function<Now()> now);
  ~AuditDesk();

  // The same way back, on which the answer is noted if that is not done with the change.
  Responder watch(const Responder& responder, std::shared_ptr<Asked> asked);
  // Nobody was let in.
  void not_let_in(const Peer& peer, const Error& error);

 private:
  struct Desk;
  std::shared_ptr<Desk> desk_;
};

}  // namespace gpusched
