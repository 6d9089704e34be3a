// Accounts by uid: name, group, and in which of some Unix groups they are. Asking the system may go
// over the network and hang, so it happens on threads; one who hangs waits alone.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "http/background.h"

namespace gpusched {

struct Account {
  std::string name;  // Empty: there is no such account.
  std::uint32_t gid = 0;
  std::vector<std::string> groups = {};  // Of those that were asked for.
};

class AccountCache {
 public:
  // Absent: the system cannot say now.
  using Lookup = std::function<std::optional<Account>(std::uint32_t uid,
                                                      const std::vector<std::string>& groups)>;
  using Found = std::function<void(const Result<Account>& account)>;

  AccountCache(boost::asio::io_context& loop, std::function<Now()> now,
               Lookup lookup = system_lookup);

  // The Unix groups that somebody wants to know of. What was known is forgotten with others.
  void ask_for_groups(std::vector<std::string> groups);
  // Calls `found` at once if the account is known, else later on the loop. One that is known for
  // some time is asked for again, beside the answer.
  void resolve(std::uint32_t uid, Found found);

  // The other way round: the number of a name. Always later on the loop. `asker`: who wants to
  // know, and waits alone if it takes long.
  void find(const std::string& name, std::uint32_t asker,
            std::function<void(std::optional<std::uint32_t>)> found);
  // Those that this system does not know; none where it cannot say. Always later on the loop.
  struct Names {
    std::vector<std::string> users, groups;
  };
  void find_unknown(Names names, std::uint32_t asker, std::function<void(const Names&)> found);

  static std::optional<std::uint32_t> system_find(const std::string& name);
  static Names system_unknown(const Names& names);
  static std::optional<Account> system_lookup(std::uint32_t uid,
                                              const std::vector<std::string>& groups);

 private:
  struct Known {
    Account account;
    Boot at{};
  };
  void look_up(std::uint32_t uid);
  void tell(std::uint32_t uid, const std::optional<Account>& account, std::uint64_t asked_in);

  std::function<Now()> now_;
  Lookup lookup_;
  std::vector<std::string> groups_;
  std::uint64_t generation_ = 0;  // Counts changes of the groups: older answers do not count.
  std::unordered_map<std::uint32_t, Known> known_;
  std::unordered_map<std::uint32_t, std::vector<Found>> asked_;  // Under way, and who waits.
  Background worker_;  // Last: what it runs touches the others.
};

}  // namespace gpusched
