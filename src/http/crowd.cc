#include "http/crowd.h"

#include <fmt/format.h>

#include <algorithm>

#include "http/tcp_listener.h"

namespace gpusched {
namespace {

constexpr std::uint32_t kFirstLent = UINT32_MAX - 1;  // The last number is nobody's.

}  // namespace

Result<Crowd::Place> Crowd::enter(const Peer& peer, const LetGo& let_go) {
  const int extra = !peer.network && limits_.has_extra_place && limits_.has_extra_place(peer)
                        ? limits_.extra_places
                        : 0;
  Place place{.account = peer.uid, .network = peer.network};
  if (peer.network) {
    place.address = counted_address(peer);
    const auto known = lent_.find(place.address);
    if (known != lent_.end()) place.account = known->second;
  }
  const bool lent = !peer.network || lent_.contains(place.address);
  if (lent) {
    auto room = make_room_of(place.account, limits_.clients_per_user + extra, let_go);
    if (!room) return failure(room.error());
  }
  if (auto room = make_room(peer, extra, let_go); !room) return failure(room.error());
  // Now: making room may have taken the last connection of this address.
  if (peer.network && !lent_.contains(place.address)) place.account = account_of(place.address);
  place.number = ++entered_;
  ++by_account_[place.account];
  ++all_;
  if (!peer.network) return place;
  ++network_;
  unproved_[place.account].insert(place.number);
  return place;
}

// Of those of one account: nobody who shares an address with silent ones is locked out by them.
Result<void> Crowd::make_room_of(std::uint32_t account, int most, const LetGo& let_go) {
  const auto held = by_account_.find(account);
  if (held == by_account_.end() || held->second < most) return {};
  if (const auto silent = unproved_.find(account); silent != unproved_.end()) {
    let_go(*silent->second.begin());
    return {};
  }
  return failure(ErrorCode::kBusy, fmt::format("you have {} connections already; close some",
                                               limits_.clients_per_user));
}

Result<void> Crowd::make_room(const Peer& peer, int extra, const LetGo& let_go) {
  const int of_network = std::max(limits_.clients / 2, 1);
  const bool full = all_ >= limits_.clients + extra;
  const bool network_full = peer.network && network_ >= of_network;
  if (!full && !network_full) return {};
  if (const auto number = oldest_of_most_unproved()) {
    let_go(*number);
    return {};
  }
  if (full) {
    return failure(ErrorCode::kBusy,
                   fmt::format("the daemon serves {} clients already; try again", limits_.clients));
  }
  return failure(
      ErrorCode::kBusy,
      fmt::format("the daemon serves {} clients of the network already; try again", of_network));
}

std::optional<std::uint64_t> Crowd::oldest_of_most_unproved() const {
  const Unproved* most = nullptr;
  for (const auto& [account, some] : unproved_) {
    if (most == nullptr || some.size() > most->size() ||
        (some.size() == most->size() && *some.begin() < *most->begin())) {
      most = &some;
    }
  }
  return most == nullptr ? std::nullopt : std::optional(*most->begin());
}

void Crowd::proved(const Place& place) {
  const auto silent = unproved_.find(place.account);
  if (silent == unproved_.end()) return;
  silent->second.erase(place.number);
  if (silent->second.empty()) unproved_.erase(silent);
}

void Crowd::leave(const Place& place) {
  proved(place);
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
