// Who is connected, counted: by user on the Unix socket, by address over the network. Says who gets
// a place. Strangers of the network never take the places of this machine's users, and who has
// proved nothing there makes room for whoever comes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
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
    std::uint64_t number = 0;  // Later ones have larger numbers.
  };
  // Ends the connection with that place, which calls leave().
  using LetGo = std::function<void(std::uint64_t number)>;
  // An error: there is none for them, and why. Where places are taken, one who came over the
  // network and has proved nothing is let go of, if there is one.
  Result<Place> enter(const Peer& peer, const LetGo& let_go);
  // Keeps the place from now on.
  void proved(const Place& place);
  void leave(const Place& place);
  int size() const { return all_; }

 private:
  // Those of an address who have proved nothing, the oldest first.
  using Unproved = std::set<std::uint64_t>;
  std::optional<std::uint64_t> oldest_of_most_unproved() const;
  Result<void> make_room_of(std::uint32_t account, int most, const LetGo& let_go);
  Result<void> make_room(const Peer& peer, int extra, const LetGo& let_go);
  std::uint32_t account_of(const std::string& address);

  HttpLimits limits_;
  int all_ = 0;
  int network_ = 0;
  std::uint64_t entered_ = 0;
  std::map<std::uint32_t, int> by_account_;
  std::map<std::uint32_t, Unproved> unproved_;  // By account.
  std::map<std::string, std::uint32_t> lent_;   // By address.
  std::set<std::uint32_t> in_use_;
};

}  // namespace gpusched
