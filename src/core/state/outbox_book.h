// Messages that wait, by receiver: which comes next, which take more of their group, how many there
// are. A receiver that takes addresses has one line for each, so that an address that cannot be
// reached holds up nobody else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/time.h"
#include "core/model/message.h"

namespace gpusched {

class OutboxBook {
 public:
  // Of one address; the receiver's own has none.
  struct Line {
    std::map<std::uint64_t, Wall> waiting;                  // Ids, in their order, and when due.
    std::map<std::string, std::set<std::uint64_t>> groups;  // By group_key().
    friend bool operator==(const Line&, const Line&) = default;
  };
  // Of one receiver.
  struct Lines {
    std::map<std::string, Line> by_address;
    std::set<std::pair<Wall, std::uint64_t>> heads;  // The first of each line, by when it is due.
    // Messages in lines with an address: these are of users, who share one room.
    std::size_t addressed = 0;
    std::map<std::string, std::set<std::uint64_t>> by_user;
    friend bool operator==(const Lines&, const Lines&) = default;
  };

  void add(const Message& message);
  void drop(const Message& message);

  const std::map<std::string, Lines>& receivers() const { return receivers_; }
  // Null: nothing waits there.
  const Line* find(const std::string& receiver, const std::string& address) const;
  std::size_t waiting() const;
  // An end is not counted with its beginning.
  static std::string group_key(const Notice& notice);

  friend bool operator==(const OutboxBook&, const OutboxBook&) = default;

 private:
  std::map<std::string, Lines> receivers_;
};

}  // namespace gpusched
