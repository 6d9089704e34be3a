// How much of what is free cannot be used: packing by fragmentation gradient (FGD), best fit and
// first fit over machines with cards of which parts are handed out. Pure functions of small values;
// a part of a card is counted in thousandths ("milli").
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace gpusched {

// What a job asks: one card's part, or whole cards, or none.
struct PackRequest {
  std::int64_t cpu_milli = 0;
  std::int64_t ram_mib = 0;
  int cards = 0;
  int card_milli = 0;        // Of each; 1000: whole.
  std::uint64_t models = 0;  // Bits of the models that will do; 0: any.
  friend auto operator<=>(const PackRequest&, const PackRequest&) = default;
};

// What is free on one machine.
struct PackRoom {
  std::int64_t cpu_milli = 0;
  std::int64_t ram_mib = 0;
  std::vector<int> card_milli;  // By card.
  std::uint64_t model = 0;      // One bit.
  std::int64_t free_milli() const;
};

// A kind of request and how frequent it is; all frequencies together are 1.
struct TypicalRequest {
  PackRequest request;
  double frequency = 0;
};
// The most frequent kinds that together make up `part` of all requests; ties by value.
std::vector<TypicalRequest> typical_requests(std::span<const PackRequest> requests, double part);

bool fits_in(const PackRequest& request, const PackRoom& room);
void take_from(PackRoom& room, const PackRequest& request, std::span<const int> cards);

// Free card parts that the typical requests could not use, expected; in thousandths of a card.
double fragmentation_of(const PackRoom& room, std::span<const TypicalRequest> typical);

struct PackChoice {
  int score = 0;           // 0 to 100, truncated; the larger the better.
  std::vector<int> cards;  // Which ones it takes.
};
// Where the fragmentation grows least; `before` is that of the room. Ties go to the first card.
// REQUIRES: fits_in(request, room).
PackChoice choose_by_fragmentation(const PackRequest& request, const PackRoom& room,
                                   std::span<const TypicalRequest> typical, double before);
// The tightest fit of CPUs and cards, each against the largest machine's.
struct PackLargest {
  double cpu_milli = 1;
  double card_milli = 1;
};
PackChoice choose_by_best_fit(const PackRequest& request, const PackRoom& room,
                              const PackLargest& largest);
// Cards that can take the request, in order; for a choice of the caller's own.
std::vector<int> fitting_cards(const PackRequest& request, const PackRoom& room);

}  // namespace gpusched
