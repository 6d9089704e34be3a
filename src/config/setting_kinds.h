// Kinds of settings: how each is read, checked and written. A place is where its value lies in
// Config.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "config/setting.h"
#include "config/values.h"

namespace gpusched {

inline constexpr std::uint64_t kKiB = 1ULL << 10;
inline constexpr std::uint64_t kMiB = 1ULL << 20;
inline constexpr std::uint64_t kGiB = 1ULL << 30;

template <class T>
struct Range {
  T least;
  T most;
};

// Each of these makes one row of the list from a place in Config.
template <class Place>
Setting size(std::string section, std::string key, std::string comment, Place place,
             Range<std::uint64_t> range) {
  return {std::move(section), std::move(key), std::move(comment),
          [place, range](Config& config, const std::string& text) -> Result<void> {
            const auto bytes = read_size(text, range.least, range.most);
            if (!bytes) return failure(bytes.error());
            place(config) = *bytes;
            return {};
          },
          [place](const Config& config) { return exact_size(place(config)); }};
}

template <class Place>
Setting duration(std::string section, std::string key, std::string comment, Place place,
                 Seconds most) {
  return {std::move(section), std::move(key), std::move(comment),
          [place, most](Config& config, const std::string& text) -> Result<void> {
            const auto seconds = parse_duration(text);
            if (!seconds) return failure(seconds.error());
            if (*seconds > most) {
              return wrong(fmt::format("{} is more than {}", text, exact_duration(most)));
            }
            place(config) = *seconds;
            return {};
          },
          [place](const Config& config) { return exact_duration(place(config)); }};
}

template <class Place>
Setting number(std::string section, std::string key, std::string comment, Place place,
               Range<std::int64_t> range) {
  return {std::move(section), std::move(key), std::move(comment),
          [place, range](Config& config, const std::string& text) -> Result<void> {
            const auto value = read_number(text, range.least, range.most);
            if (!value) return failure(value.error());
            auto& field = place(config);
            field = static_cast<std::remove_reference_t<decltype(field)>>(*value);
            return {};
          },
          [place](const Config& config) { return fmt::format("{}", place(config)); }};
}

template <class Place>
Setting on_or_off(std::string section, std::string key, std::string comment, Place place) {
  return {std::move(section), std::move(key), std::move(comment),
          [place](Config& config, const std::string& text) -> Result<void> {
            const auto on = read_switch(text);
            if (!on) return failure(on.error());
            place(config) = *on;
            return {};
          },
          [place](const Config& config) { return std::string(place(config) ? "on" : "off"); }};
}

template <class Place>
Setting text(std::string section, std::string key, std::string comment, Place place) {
  return {std::move(section), std::move(key), std::move(comment),
          [place](Config& config, const std::string& given) -> Result<void> {
            place(config) = given;
            return {};
          },
          [place](const Config& config) { return quoted(place(config)); }};
}

template <class Place>
Setting absolute_path(std::string section, std::string key, std::string comment, Place place,
                      std::size_t longest) {
  return {std::move(section), std::move(key), std::move(comment),
          [place, longest](Config& config, const std::string& text) -> Result<void> {
            if (!text.empty() && text.front() != '/') {
              return wrong(fmt::format("\"{}\" is not an absolute path", text));
            }
            if (text.size() > longest) {
              return wrong(fmt::format("the path has {} bytes; at most {} are possible here",
                                       text.size(), longest));
            }
            place(config) = text;
            return {};
          },
          [place](const Config& config) { return quoted(place(config)); }};
}

inline constexpr Range<std::uint64_t> kAnySize{0, std::numeric_limits<std::int64_t>::max()};
inline constexpr Seconds kYear{366 * 86400};
// What a Unix socket's address holds, without the closing NUL.
inline constexpr std::size_t kLongestSocket = 107;
inline constexpr std::size_t kLongestPath = 4095;

// A place in Config, for reading and for writing.
#define PLACE(member) \
  [](auto& config) -> auto& { return config.member; }

// A map, so the words of a single value are always wrong.

// The rows of one part of the file each.
void add_scheduling_settings(std::vector<Setting>& list);
void add_making_room_settings(std::vector<Setting>& list);
void add_isolation_settings(std::vector<Setting>& list);
void add_network_settings(std::vector<Setting>& list);
void add_report_settings(std::vector<Setting>& list);
void add_alarm_settings(std::vector<Setting>& list);

// What its settings say together.
Result<void> check_network(const NetworkSettings& network);

}  // namespace gpusched
