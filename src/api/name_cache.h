// Names of users by uid. Asking the system may go over the network and hang, so it happens on a
// worker thread; answers are kept for a minute.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/time.h"
#include "http/background.h"

namespace gpusched {

class NameCache {
 public:
  // Called with the account's name; empty: there is no such account.
  using Found = std::function<void(const std::string& name)>;
  using Lookup = std::function<std::string(std::uint32_t uid)>;

  NameCache(boost::asio::io_context& loop, std::function<Now()> now, Lookup lookup = system_lookup);

  // Calls `found` at once if the name is known, else later on the loop.
  void resolve(std::uint32_t uid, Found found);

  // The other way round: is there an account of that name? Always later on the loop.
  void look_for(const std::string& name, std::function<void(bool there)> found);

  static std::string system_lookup(std::uint32_t uid);
  static bool system_knows(const std::string& name);

 private:
  struct Known {
    std::string name;
    Boot at{};
  };

  std::function<Now()> now_;
  Lookup lookup_;
  std::unordered_map<std::uint32_t, Known> known_;
  std::unordered_map<std::uint32_t, std::vector<Found>> waiting_;
  Background worker_;  // Last: what it runs touches the others.
};

}  // namespace gpusched
