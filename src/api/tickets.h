// What of one kind is under way for each user: no more than so many at once, so that requests whose
// client has gone long ago do not stand before everybody else's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"

namespace gpusched {

class Tickets {
 public:
  Tickets(std::size_t most, std::string refusal);

  // Counts until the last copy of it is gone, on whatever thread. May outlive its maker.
  using Ticket = std::shared_ptr<void>;
  // kBusy, with the refusal: this user has as many as there may be.
  Result<Ticket> take(std::uint32_t uid);

 private:
  struct Taken;
  std::shared_ptr<Taken> taken_;
  std::size_t most_;
  std::string refusal_;
};

}  // namespace gpusched
