// Answers about messages that wait to be delivered.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "wire/message.h"

namespace gpusched::wire {

struct OutboxSettled {
  std::uint64_t id = 0;
  bool delivered = false;
  std::optional<Wall> at;
  std::string error;

  static constexpr std::string_view kName = "OutboxSettled";
  static constexpr auto fields() {
    using Self = OutboxSettled;
    return std::make_tuple(field("id", &Self::id),
                           field("delivered", &Self::delivered, {.what = "false: it was given up"}),
                           field("at", &Self::at), field("error", &Self::error, kOrNull));
  }
};
struct OutboxLine {
  std::string receiver, channel;
  std::uint64_t waiting = 0;
  std::uint64_t notices = 0;
  std::optional<Wall> oldest;
  std::optional<Wall> next;
  std::uint64_t tries = 0;
  std::string error;
  std::uint64_t dropped = 0;
  std::vector<OutboxSettled> settled;

  static constexpr std::string_view kName = "OutboxLine";
  static constexpr auto fields() {
    using Self = OutboxLine;
    return std::make_tuple(
        field("receiver", &Self::receiver),
        field("channel", &Self::channel,
              {.or_null = true, .what = "null: the configuration has no such receiver any more"}),
        field("waiting", &Self::waiting, {.what = "messages"}),
        field("notices", &Self::notices, {.what = "that are counted in them"}),
        field("oldest", &Self::oldest, kAlways),
        field("next", &Self::next, {.what = "when the next is tried"}),
        field("tries", &Self::tries, {.what = "of the oldest, that failed"}),
        field("error", &Self::error, {.or_null = true, .what = "of the last try that failed"}),
        field("dropped", &Self::dropped, {.what = "notices that found no room so far"}),
        field("settled", &Self::settled,
              {.what = "what became of the last 20 since the daemon began, the oldest first"}));
  }
};
struct Outbox {
  int schema = 1;
  std::vector<OutboxLine> receivers;

  static constexpr std::string_view kName = "Outbox";
  static constexpr auto fields() {
    return std::make_tuple(field("schema", &Outbox::schema),
                           field("receivers", &Outbox::receivers));
  }
};

}  // namespace gpusched::wire
