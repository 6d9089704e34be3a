#include "client/repeats.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "client/away.h"

namespace gpusched {

Again again_after(const Server& server, Stage stage, const Error& error, bool reached) {
  // A socket of this machine loses nothing: if it breaks, the daemon has ended.
  if (!server.far()) return Again::kNo;
  const bool busy = error.code == ErrorCode::kBusy;
  if (!is_away(error) && !busy) return Again::kNo;
  switch (stage) {
    case Stage::kConnecting:
      // ssh says itself what is wrong, and may ask for a password each time.
      if (server.elsewhere()) return reached ? Again::kYes : Again::kNo;
      return reached ? Again::kYes : Again::kBriefly;
    case Stage::kSilent:
    case Stage::kLost:
      return Again::kYes;
    case Stage::kAnswered:
      return server.on_network() ? Again::kBriefly : Again::kNo;
  }
  return Again::kNo;
}

Result<std::string> draw_key() {
  std::array<unsigned char, 16> bytes{};
  ssize_t got = 0;
  do {
    got = ::getrandom(bytes.data(), bytes.size(), 0);
  } while (got < 0 && errno == EINTR);
  if (got != static_cast<ssize_t>(bytes.size())) {
    return failure(ErrorCode::kIo, std::string("draw random bytes: ") + std::strerror(errno));
  }
  std::string key = "gpusched-";
  for (const unsigned char byte : bytes) key += fmt::format("{:02x}", byte);
  return key;
}

}  // namespace gpusched
