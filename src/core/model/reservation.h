// Cards kept for somebody over a stretch of wall time (`gpusched reserve`), or out of use for
// maintenance (`drain --from`) or by the calendar. A job that is not the holder's may run there
// before only if it is over by the beginning; nobody is put out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "core/model/card.h"
#include "core/model/job.h"

namespace gpusched {

struct Reservation {
  std::uint64_t id = 0;  // 0: by the calendar of the configuration.
  std::string name;      // For people; may be empty.
  // Whose jobs may run there meanwhile; with both empty nobody's.
  std::string user;
  std::string tenant;
  std::vector<std::string> cards;  // By UUID: numbers change when cards are moved.
  Wall from{};
  Wall until{};
  std::string by;  // The user who made it.

  bool maintenance() const { return user.empty() && tenant.empty(); }
  bool admits(const Job& job) const {
    return (!user.empty() && job.owner.user == user) || (!tenant.empty() && job.tenant == tenant);
  }
  friend bool operator==(const Reservation&, const Reservation&) = default;
};

inline constexpr std::size_t kReservationsMost = 1000;

// All reservations, card by card; what a decision asks.
class CardReservations {
 public:
  void rebuild(const std::vector<Card>& cards, std::vector<Reservation> reservations);
  bool empty() const { return reservations_.empty(); }
  // The reservation that keeps the job off the card at some time in [from, until); null: none.
  const Reservation* against(const Job& job, std::size_t card_index, Wall from, Wall until) const;
  // The card is kept for the job's owner at this time.
  bool kept_for(const Job& job, std::size_t card_index, Wall at) const;
  // The first beginning or end after `at`.
  std::optional<Wall> next_change(Wall at) const;
  // Ends after `at`, in order.
  std::vector<Wall> ends_after(Wall at) const;

 private:
  std::vector<Reservation> reservations_;          // By beginning.
  std::vector<std::vector<std::size_t>> by_card_;  // Positions in reservations_, in order.
  std::vector<Wall> boundaries_;                   // In order, each once.
  std::vector<Wall> ends_;
};

// "cards 0, 1 are reserved for user1 in 40 min": those of its cards that are there, and when.
std::string describe_reservation(const Reservation& reservation, const std::vector<Card>& cards,
                                 Wall now);

}  // namespace gpusched
