// What lies between nvmlInit and nvmlShutdown, and the way every call goes: initialised? does the
// function exist in this driver? is the driver still the one we began with? faults; the card.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "simdriver/card_model.h"
#include "simdriver/faults.h"
#include "simdriver/nvml/abi.h"
#include "simdriver/world.h"

namespace gpusched::simdriver::nvml {

struct Session {
  World world;
  std::uint32_t driver_generation = 0;
  std::vector<std::size_t> listed;  // Cards that were there at the start, by NVML's index.
};

int start_session();
int end_session();
// Null before nvmlInit. Callers keep it for the length of a call, whatever others do meanwhile.
std::shared_ptr<const Session> current_session();

Device handle_of(std::size_t card);
// The card of a handle, kCardsMost if it is none.
std::size_t card_of(Device device);

// One call that concerns a card.
struct CardCall {
  const Session& session;
  const World& world;
  std::size_t card;
  const CardFacts& facts;
  CardState& state;

  bool has(CardFeature feature) const { return (facts.features & feature) != 0; }
};

// 0, or why the call may not go on. `card` may be kNoCard.
int admit(const Session* session, const char* function, std::int32_t card);

template <class Body>
int on_driver(const char* function, Body body) {
  const auto session = current_session();
  if (const int code = admit(session.get(), function, kNoCard); code != kSuccess) return code;
  return body(*session);
}

template <class Body>
int on_card(const char* function, Device device, Body body) {
  const auto session = current_session();
  if (session == nullptr) return kUninitialized;
  const std::size_t card = card_of(device);
  if (card >= session->world.card_count()) return kInvalidArgument;
  const int code = admit(session.get(), function, static_cast<std::int32_t>(card));
  if (code != kSuccess) return code;
  const CardCall call{*session, session->world, card, session->world.data().facts[card],
                      session->world.data().states[card]};
  return body(call);
}

// The same for calls that write one value through a pointer.
template <class Out, class Body>
int on_card(const char* function, Device device, Out* out, Body body) {
  return on_card(function, device, [&](const CardCall& call) -> int {
    if (out == nullptr) return kInvalidArgument;
    return body(call, *out);
  });
}

inline int copy_text(std::string_view text, char* to, std::uint32_t size) {
  if (to == nullptr) return kInvalidArgument;
  if (text.size() + 1 > size) return kInsufficientSize;
  std::memcpy(to, text.data(), text.size());
  to[text.size()] = '\0';
  return kSuccess;
}

// 0 if we are root, as the calls that change a card demand.
int need_root();

}  // namespace gpusched::simdriver::nvml
