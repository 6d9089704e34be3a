#include "http/crowd.h"

#include <fmt/format.h>

#include <algorithm>

#include "http/tcp_listener.h"

namespace gpusched {
namespace {

constexpr std::uint32_t kFirstLent = UINT32_MAX - 1;  // The last number is nobody's.

}  // namespace

Result<Crowd::Place> Crowd::enter(const Peer& peer) {
  const int extra = !peer.network && limits_.has_extra_place && limits_.has_extra_place(peer)
                        ? limits_.extra_places
                        : 0;
  const int of_network = std::max(limits_.clients / 2, 1);
  if (all_ >= limits_.clients + extra) {
    return failure(ErrorCode::kBusy,
                   fmt::format("the daemon serves {} clients already; try again", limits_.clients));
  }
  if (peer.network && network_ >= of_network) {
    return failure(
        ErrorCode::kBusy,
        fmt::format("the daemon serves {} clients of the network already; try again", of_network));
  }
  Place place{.account = peer.uid, .network = peer.network};
  if (peer.network) {
    place.address = counted_address(peer);
    const auto known = lent_.find(place.address);
    place.account = known != lent_.end() ? known->second : account_of(place.address);
  }
  int& held = by_account_[place.account];
  if (held >= limits_.clients_per_user + extra) {
    return failure(ErrorCode::kBusy, fmt::format("you have {} connections already; close some",
                                                 limits_.clients_per_user));
  }
  ++held;
  ++all_;
  if (peer.network) ++network_;
  return place;
}

void Crowd::leave(const Place& place) {
  --all_;
  if (place.network) --network_;
  const auto held = by_account_.find(place.account);
  if (held == by_account_.end() || --held->second > 0) return;
  by_account_.erase(held);
  if (!place.network) return;
  lent_.erase(place.address);
  in_use_.erase(place.account);
}

std::uint32_t Crowd::account_of(const std::string& address) {
  std::uint32_t number = kFirstLent;
  while (in_use_.contains(number)) --number;
  in_use_.insert(number);
  lent_[address] = number;
  return number;
}

}  // namespace gpusched
