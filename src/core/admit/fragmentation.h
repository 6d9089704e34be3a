// What placing a job on a card costs those who wait: memory that is free there but too little for
// them (fragmentation-gradient descent). Asked on values; ties go to the lowest index.
#pragma once

#include <cstdint>
#include <vector>

#include "core/admit/admission.h"
#include "core/model/card.h"
#include "core/model/needs.h"
#include "core/model/rules.h"
#include "core/state/holds.h"
#include "core/state/state_view.h"

namespace gpusched {

// One kind of request that waits, and how many want it.
struct RequestClass {
  const Needs* needs = nullptr;  // Of the queue.
  std::uint64_t jobs = 0;
  GrantFor grant;
};

// The first few kinds in the order of the queue that only a card can serve.
std::vector<RequestClass> request_classes(const StateView& state);

// Free memory of the card, in MiB, that the classes cannot use once `wanted` is there, each weighed
// by its jobs; less what they cannot use already. The smaller the better.
std::int64_t lost_by(const Card& card, const CardHolds& holds, const CardGrant& wanted,
                     std::vector<RequestClass>& classes, const Rules& rules);

}  // namespace gpusched
