#include "api/account_cache.h"

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace gpusched {
namespace {

constexpr std::size_t kLookups = 4;  // At one time; a user has one of them.
constexpr Seconds kFresh{60};        // Nobody asks again.
constexpr Seconds kGood{600};        // Used while it is asked for again.
constexpr std::size_t kAccountsMost = 4096;
constexpr std::size_t kEntryMost = 1U << 20;

// Calls one of the functions that want a buffer, with a larger one as long as it asks for that.
// False: the system cannot say.
template <class Entry, class Call>
bool look(Entry& entry, Entry*& result, std::vector<char>& room, Call call) {
  room.resize(1024);
  int error = 0;
  while ((error = call(&entry, room.data(), room.size(), &result)) == ERANGE &&
         room.size() < kEntryMost) {
    room.resize(room.size() * 2);
  }
  // Not there is said in several ways (getpwnam(3)).
  return error == 0 || error == ENOENT || error == ESRCH || error == EBADF || error == EPERM;
}

std::vector<gid_t> groups_of(const std::string& name, gid_t gid) {
  std::vector<gid_t> groups(64);
  int count = static_cast<int>(groups.size());
  while (::getgrouplist(name.c_str(), gid, groups.data(), &count) < 0 &&
         groups.size() < kEntryMost) {
    groups.resize(std::max(groups.size() * 2, static_cast<std::size_t>(std::max(count, 0))));
    count = static_cast<int>(groups.size());
  }
  groups.resize(static_cast<std::size_t>(std::max(count, 0)));
  return groups;
}

}  // namespace

AccountCache::AccountCache(boost::asio::io_context& loop, std::function<Now()> now, Lookup lookup)
    : now_(std::move(now)), lookup_(std::move(lookup)), worker_(loop, kLookups) {}

std::optional<Account> AccountCache::system_lookup(std::uint32_t uid,
                                                   const std::vector<std::string>& groups) {
  std::vector<char> room;
  passwd entry{};
  passwd* user = nullptr;
  const auto by_uid = [uid](auto... rest) { return ::getpwuid_r(uid, rest...); };
  if (!look(entry, user, room, by_uid)) return std::nullopt;
  if (user == nullptr || user->pw_name == nullptr || *user->pw_name == '\0') return Account{};
  Account account{.name = user->pw_name, .gid = user->pw_gid};
  if (groups.empty()) return account;
  const std::vector<gid_t> member_of = groups_of(account.name, account.gid);
  for (const std::string& group : groups) {
    ::group about{};
    ::group* found = nullptr;
    const auto by_name = [&](auto... rest) { return ::getgrnam_r(group.c_str(), rest...); };
    if (!look(about, found, room, by_name)) return std::nullopt;
    if (found == nullptr) continue;
    if (std::ranges::find(member_of, found->gr_gid) != member_of.end()) {
      account.groups.push_back(group);
    }
  }
  return account;
}

std::optional<std::uint32_t> AccountCache::system_find(const std::string& name) {
  std::vector<char> room;
  passwd entry{};
  passwd* user = nullptr;
  const auto by_name = [&name](auto... rest) { return ::getpwnam_r(name.c_str(), rest...); };
  if (!look(entry, user, room, by_name) || user == nullptr) return std::nullopt;
  return user->pw_uid;
}

AccountCache::Names AccountCache::system_unknown(const Names& names) {
  std::vector<char> room;
  Names unknown;
  for (const std::string& name : names.users) {
    passwd entry{};
    passwd* user = nullptr;
    const auto by_name = [&name](auto... rest) { return ::getpwnam_r(name.c_str(), rest...); };
    if (look(entry, user, room, by_name) && user == nullptr) unknown.users.push_back(name);
  }
  for (const std::string& name : names.groups) {
    ::group entry{};
    ::group* found = nullptr;
    const auto by_name = [&name](auto... rest) { return ::getgrnam_r(name.c_str(), rest...); };
    if (look(entry, found, room, by_name) && found == nullptr) unknown.groups.push_back(name);
  }
  return unknown;
}

void AccountCache::find_unknown(Names names, std::uint32_t asker,
                                std::function<void(const Names&)> found) {
  worker_.post(asker, [names = std::move(names), found = std::move(found)]() -> Background::Then {
    return [found, unknown = system_unknown(names)] { found(unknown); };
  });
}

void AccountCache::find(const std::string& name, std::uint32_t asker,
                        std::function<void(std::optional<std::uint32_t>)> found) {
  worker_.post(asker, [name, found = std::move(found)]() -> Background::Then {
    return [found, uid = system_find(name)] { found(uid); };
  });
}

void AccountCache::ask_for_groups(std::vector<std::string> groups) {
  if (groups == groups_) return;
  groups_ = std::move(groups);
  known_.clear();
  ++generation_;
}

void AccountCache::resolve(std::uint32_t uid, Found found) {
  const auto known = known_.find(uid);
  const bool any = known != known_.end();
  const Microseconds age = any ? Microseconds(now_().boot - known->second.at) : Microseconds{0};
  if (any && age < kGood) {
    const Account account = known->second.account;
    if (age >= kFresh && asked_.try_emplace(uid).second) look_up(uid);
    found(account);
    return;
  }
  const auto [waiting, first] = asked_.try_emplace(uid);
  waiting->second.push_back(std::move(found));
  if (first) look_up(uid);
}

void AccountCache::look_up(std::uint32_t uid) {
  worker_.post(
      uid, [this, uid, lookup = lookup_, groups = groups_, in = generation_]() -> Background::Then {
        std::optional<Account> account = lookup(uid, groups);
        return [this, uid, in, account = std::move(account)] { tell(uid, account, in); };
      });
}

void AccountCache::tell(std::uint32_t uid, const std::optional<Account>& account,
                        std::uint64_t asked_in) {
  // Other groups are asked for since.
  if (asked_in != generation_) return look_up(uid);
  if (known_.size() >= kAccountsMost) known_.clear();
  if (account) known_[uid] = {*account, now_().boot};
  const auto told = asked_.extract(uid);
  for (const Found& found : told.mapped()) {
    if (account) {
      found(*account);
    } else {
      found(failure(ErrorCode::kBusy,
                    fmt::format("the system cannot say now who user {} is; try again", uid)));
    }
  }
}

}  // namespace gpusched
