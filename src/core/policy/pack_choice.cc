#include "core/policy/pack_choice.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace gpusched {
namespace {

constexpr int kWholeCard = 1000;

bool cards_fit(const PackRequest& request, const PackRoom& room) {
  if (request.cards == 0) return true;
  if (request.models != 0 && (request.models & room.model) == 0) return false;
  const auto enough =
      std::ranges::count_if(room.card_milli, [&](int free) { return free >= request.card_milli; });
  return enough >= request.cards;
}

// Unusable to one kind of request.
double unusable_to(const PackRequest& request, const PackRoom& room, std::int64_t all_free) {
  const bool runs = request.cards > 0 && request.cpu_milli <= room.cpu_milli &&
                    request.ram_mib <= room.ram_mib && cards_fit(request, room);
  if (!runs) return static_cast<double>(all_free);
  std::int64_t left = 0;
  for (const int free : room.card_milli) {
    if (free < request.card_milli) left += free;
  }
  return static_cast<double>(left);
}

}  // namespace

std::int64_t PackRoom::free_milli() const {
  return std::accumulate(card_milli.begin(), card_milli.end(), std::int64_t{0});
}

std::vector<TypicalRequest> typical_requests(std::span<const PackRequest> requests, double part) {
  std::map<PackRequest, std::size_t> counts;
  for (PackRequest request : requests) {
    request.ram_mib = 0;  // Memory is a filter, not a kind.
    ++counts[request];
  }
  std::vector<std::pair<PackRequest, std::size_t>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted,
                           [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<TypicalRequest> typical;
  std::size_t covered = 0;
  for (const auto& [request, count] : sorted) {
    if (static_cast<double>(covered) >= part * static_cast<double>(requests.size())) break;
    covered += count;
    typical.push_back({request, static_cast<double>(count)});
  }
  for (TypicalRequest& one : typical) one.frequency /= static_cast<double>(covered);
  return typical;
}

bool fits_in(const PackRequest& request, const PackRoom& room) {
  return request.cpu_milli <= room.cpu_milli && request.ram_mib <= room.ram_mib &&
         cards_fit(request, room);
}

void take_from(PackRoom& room, const PackRequest& request, std::span<const int> cards) {
  room.cpu_milli -= request.cpu_milli;
  room.ram_mib -= request.ram_mib;
  for (const int card : cards)
    room.card_milli[static_cast<std::size_t>(card)] -= request.card_milli;
}

double fragmentation_of(const PackRoom& room, std::span<const TypicalRequest> typical) {
  const std::int64_t all_free = room.free_milli();
  double sum = 0;
  for (const TypicalRequest& one : typical) {
    sum += one.frequency * unusable_to(one.request, room, all_free);
  }
  return sum;
}

std::vector<int> fitting_cards(const PackRequest& request, const PackRoom& room) {
  std::vector<int> cards;
  for (std::size_t i = 0; i < room.card_milli.size(); ++i) {
    if (request.cards > 0 && room.card_milli[i] >= request.card_milli) {
      cards.push_back(static_cast<int>(i));
    }
  }
  return cards;
}

PackChoice choose_by_fragmentation(const PackRequest& request, const PackRoom& room,
                                   std::span<const TypicalRequest> typical, double before) {
  const auto score_of = [&](const std::vector<int>& cards) {
    PackRoom after = room;
    take_from(after, request, cards);
    const double gained = before - fragmentation_of(after, typical);
    return static_cast<int>(100.0 / (1.0 + std::exp(-gained / kWholeCard)));
  };
  std::vector<int> cards = fitting_cards(request, room);
  if (request.cards != 1 || request.card_milli == kWholeCard) {
    // Whole cards of one machine are all alike.
    cards.resize(static_cast<std::size_t>(request.cards));
    return {score_of(cards), cards};
  }
  PackChoice best{-1, {}};
  std::vector<int> seen;  // Cards with the same part free make the same future.
  for (const int card : cards) {
    const int free = room.card_milli[static_cast<std::size_t>(card)];
    if (std::ranges::find(seen, free) != seen.end()) continue;
    seen.push_back(free);
    const int score = score_of({card});
    if (score > best.score) best = {score, {card}};
  }
  return best;
}

PackChoice choose_by_best_fit(const PackRequest& request, const PackRoom& room,
                              const PackLargest& largest) {
  std::vector<int> cards = fitting_cards(request, room);
  std::ranges::stable_sort(
      cards, {}, [&](int card) { return room.card_milli[static_cast<std::size_t>(card)]; });
  cards.resize(static_cast<std::size_t>(request.cards));
  const double cpus = static_cast<double>(room.cpu_milli - request.cpu_milli) / largest.cpu_milli;
  const double milli = static_cast<double>(room.free_milli() - request.cards * request.card_milli);
  const double left = 0.5 * cpus + 0.5 * milli / largest.card_milli;
  return {static_cast<int>(100.0 * std::clamp(1.0 - left, 0.0, 1.0)), cards};
}

}  // namespace gpusched
