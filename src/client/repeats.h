// What is asked again when a network loses something, and for how long. A change is repeated with
// the key that it had the first time, so that it is done once.
#pragma once

#include <string>

#include "base/result.h"
#include "client/server.h"

namespace gpusched {

// How far a question came before it failed.
enum class Stage : unsigned char {
  kConnecting,  // Nobody has heard it.
  kSilent,      // It was sent, and nothing came for too long.
  kLost,        // It was sent, and the connection ended.
  kAnswered,    // It was refused.
};

enum class Again : unsigned char {
  kNo,
  kBriefly,  // For a restart, or a place that becomes free.
  kYes,      // For as long as the server is worth waiting for.
};

// `reached`: this server has been spoken with by this process.
Again again_after(const Server& server, Stage stage, const Error& error, bool reached);
// For kBriefly.
inline constexpr Seconds kBrieflyMost{5};

// The key of one change: 128 random bits.
Result<std::string> draw_key();

}  // namespace gpusched
