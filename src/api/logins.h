// Logins of browsers: a random secret in a cookie, kept as a hash, that stands for a token. A login
// is never more than its token, and goes with it. The table is small and written whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "core/access/token.h"

namespace gpusched {

struct Login {
  std::string token;  // Its id.
  std::uint32_t uid = 0;
  Wall began{};
  Wall seen{};  // The last use; about, where it was read from the file.
};

class Logins {
 public:
  static constexpr std::size_t kPerUser = 20;
  static constexpr std::size_t kMost = 1000;
  static constexpr Seconds kIdleMost{7 * 86'400};
  static constexpr Seconds kLongest{30 * 86'400};

  // Makes the table durable; `done` comes on the loop. Empty: it is in memory only.
  using Kept = std::function<void(const Result<void>&)>;
  using Keep = std::function<void(std::string text, Kept done)>;
  explicit Logins(Keep keep = {}) : keep_(std::move(keep)) {}

  // The secret, once it is kept. Whose are too many, loses the one that was unused for longest.
  void begin(const Token& token, Wall now,
             const std::function<void(const Result<std::string>&)>& done);
  // By the secret. Null: there is none, or it has ended. `id` names it otherwise.
  const Login* find(std::string_view id, Wall now) const;
  static std::string id_of(std::string_view secret);
  void note_use(const std::string& id, Wall now);
  void end(const std::string& id, const Kept& done);
  // When it ends if it goes on being used.
  static Wall ends_at(const Login& login, const Token& token);
  std::size_t size() const { return logins_.size(); }

  // As it is kept. What cannot be read is left out: who is concerned logs in again.
  std::string text() const;
  void read(std::string_view text);

 private:
  void make_room(std::uint32_t uid, Wall now);
  void keep(const Kept& done);

  std::map<std::string, Login> logins_;  // By the hash of the secret.
  Keep keep_;
};

}  // namespace gpusched
