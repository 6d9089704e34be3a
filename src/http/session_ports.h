// What a session needs from its server. Internal to the server.
#pragma once

#include <functional>
#include <memory>

#include "http/background.h"
#include "http/limits.h"
#include "http/types.h"

namespace gpusched {

// Up to this size bodies are not counted against the memory for all of them.
inline constexpr std::uint64_t kSmallBody = 64U << 10;

struct SessionPorts {
  HttpLimits limits;
  HttpHandler handler;
  // Asks for memory for a body before it is read; what was granted is given back as negative.
  std::function<bool(std::uint32_t account, std::int64_t bytes)> reserve_body;
  BodyMost body_most;
  std::function<void(const HttpSession*)> closed;
  std::function<void(const HttpSession*)> proved;  // It has shown a good token.
  // Runs it when it is that account's turn on the loop.
  std::function<void(std::uint32_t account, std::function<void()> work)> give_turn;
  std::shared_ptr<Background> coders;  // For compressing.
};

}  // namespace gpusched
