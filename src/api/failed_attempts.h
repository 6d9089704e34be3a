// Who shows wrong tokens again and again waits, by where it comes from; nobody else does.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "base/time.h"

namespace gpusched {

class FailedAttempts {
 public:
  static constexpr int kMost = 10;       // Within
  static constexpr Seconds kWithin{60};  // so long, from the first one on.
  static constexpr std::size_t kPlaces = 4096;

  // How long a place must wait before its next attempt is looked at; absent: not at all.
  std::optional<Seconds> wait_for(const std::string& place, Now now) const;
  void failed(const std::string& place, Now now);
  std::size_t places() const { return places_.size(); }

 private:
  struct Place {
    Boot since{};
    int failures = 0;
  };
  void make_room(Now now);

  std::map<std::string, Place> places_;
};

}  // namespace gpusched
