// Who is connected, counted: by user on the Unix socket, by address over the network. Says who gets
// a place. Strangers of the network never take the places of this machine's users.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "http/limits.h"
#include "http/types.h"

namespace gpusched {

class Crowd {
 public:
  explicit Crowd(HttpLimits limits) : limits_(std::move(limits)) {}

  // Under which it is counted what somebody costs: a user's number, or one lent to an address for
  // as long as it has connections. Those are at the upper end, where no accounts are.
  struct Place {
    std::uint32_t account = 0;
    bool network = false;
    std::string address = {};
  };
  // An error: there is none for them, and why.
  Result<Place> enter(const Peer& peer);
  void leave(const Place& place);
  int size() const { return all_; }

 private:
  std::uint32_t account_of(const std::string& address);

  HttpLimits limits_;
  int all_ = 0;
  int network_ = 0;
  std::map<std::uint32_t, int> by_account_;
  std::map<std::string, std::uint32_t> lent_;  // By address.
  std::set<std::uint32_t> in_use_;
};

}  // namespace gpusched
