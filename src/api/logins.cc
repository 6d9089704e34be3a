#include "api/logins.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "api/token_secret.h"
#include "base/number.h"
#include "base/text.h"
#include "os/log.h"

namespace gpusched {
namespace {

constexpr std::string_view kFirstLine = "gpusched logins 1\n";
constexpr std::size_t kHashLetters = 64;
// A use is written with the next change, or when the last one written is so old.
constexpr Seconds kUseWrittenEvery{3600};

bool has_ended(const Login& login, Wall now) {
  return now - login.seen > Logins::kIdleMost || now - login.began > Logins::kLongest;
}

std::int64_t seconds_of(Wall at) {
  return std::chrono::duration_cast<Seconds>(at.time_since_epoch()).count();
}

}  // namespace

std::string Logins::id_of(std::string_view secret) { return hash_of_token(secret); }

const Login* Logins::find(std::string_view id, Wall now) const {
  const auto found = logins_.find(std::string(id));
  return found == logins_.end() || has_ended(found->second, now) ? nullptr : &found->second;
}

Wall Logins::ends_at(const Login& login, const Token& token) {
  const Wall end = login.began + kLongest;
  return token.expires_at ? std::min(end, *token.expires_at) : end;
}

void Logins::make_room(std::uint32_t uid, Wall now) {
  std::erase_if(logins_, [now](const auto& one) { return has_ended(one.second, now); });
  const auto drop_oldest = [this](auto counts, std::size_t most) {
    std::size_t there = 0;
    auto oldest = logins_.end();
    for (auto it = logins_.begin(); it != logins_.end(); ++it) {
      if (!counts(it->second)) continue;
      ++there;
      if (oldest == logins_.end() || it->second.seen < oldest->second.seen) oldest = it;
    }
    if (there >= most) logins_.erase(oldest);
  };
  drop_oldest([uid](const Login& login) { return login.uid == uid; }, kPerUser);
  drop_oldest([](const Login&) { return true; }, kMost);
}

void Logins::begin(const Token& token, Wall now,
                   const std::function<void(const Result<std::string>&)>& done) {
  const Result<std::string> secret = draw_secret();
  if (!secret) return done(failure(secret.error()));
  make_room(token.uid, now);
  logins_[id_of(*secret)] = {.token = token.id, .uid = token.uid, .began = now, .seen = now};
  // One that is not kept holds until the next restart.
  keep([secret, done](const Result<void>&) { done(secret); });
}

void Logins::note_use(const std::string& id, Wall now) {
  const auto found = logins_.find(id);
  if (found == logins_.end() || now - found->second.seen < kUseWrittenEvery) return;
  found->second.seen = now;
  keep([](const Result<void>&) {});
}

void Logins::end(const std::string& id, const Kept& done) {
  logins_.erase(id);
  keep(done);
}

void Logins::keep(const Kept& done) {
  if (!keep_) return done({});
  keep_(text(), [done](const Result<void>& kept) {
    if (!kept) log_warning("logins are not kept", {{"error", kept.error().message}});
    done(kept);
  });
}

std::string Logins::text() const {
  std::string out(kFirstLine);
  for (const auto& [hash, login] : logins_) {
    out += fmt::format("{} {} {} {} {}\n", hash, login.token, login.uid, seconds_of(login.began),
                       seconds_of(login.seen));
  }
  return out;
}

void Logins::read(std::string_view text) {
  logins_.clear();
  if (!text.starts_with(kFirstLine)) return;
  text.remove_prefix(kFirstLine.size());
  while (!text.empty() && logins_.size() < kMost) {
    const auto words = split_nonempty(take_until(text, '\n'), ' ');
    if (words.size() != 5 || words[0].size() != kHashLetters) continue;
    std::uint32_t uid = 0, began = 0, seen = 0;
    if (!whole_number(words[2], uid) || !whole_number(words[3], began)) continue;
    if (!whole_number(words[4], seen)) continue;
    logins_[std::string(words[0])] = {.token = std::string(words[1]),
                                      .uid = uid,
                                      .began = Wall(Seconds(began)),
                                      .seen = Wall(Seconds(seen))};
  }
}

}  // namespace gpusched
