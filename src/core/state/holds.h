// What is taken of a card and of the host.
#pragma once

#include <cstdint>

#include "core/model/card_view.h"
#include "core/model/job.h"

namespace gpusched {

// What managed jobs hold on one card.
struct CardHolds {
  std::uint64_t vram_bytes = 0;
  int share_percent = 0;
  int jobs = 0;
  bool whole = false;      // One of them has the card to itself.
  UngrantedUse ungranted;  // What is taken of it besides.
  // Of its compute, in percent: by jobs and by others.
  int load_percent() const {
    return share_percent + ungranted.jobs_load_percent + ungranted.load_percent;
  }
};
struct HostHolds {
  int cpus = 0;
  std::uint64_t ram_bytes = 0;
  friend bool operator==(const HostHolds&, const HostHolds&) = default;
};

inline void add(CardHolds& holds, const CardGrant& grant) {
  holds.vram_bytes += grant.vram_bytes;
  holds.share_percent += grant.share_percent;
  ++holds.jobs;
  holds.whole = holds.whole || grant.whole;
}
inline void drop(CardHolds& holds, const CardGrant& grant) {
  holds.vram_bytes -= grant.vram_bytes;
  holds.share_percent -= grant.share_percent;
  --holds.jobs;
  if (grant.whole) holds.whole = false;
}

}  // namespace gpusched
