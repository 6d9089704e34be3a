// Answers about one moment of the past.
#pragma once

#include "base/time.h"
#include "wire/message.h"
#include "wire/messages/jobs.h"

namespace gpusched::wire {

struct CardThen {
  int number = 0;
  std::string uuid, model;
  std::uint64_t vram_bytes = 0;
  std::optional<std::uint64_t> used_bytes;
  std::optional<double> busy_percent, temperature_celsius, power_watts;
  bool drained = false;
  std::vector<std::uint64_t> jobs;

  static constexpr std::string_view kName = "CardThen";
  static constexpr auto fields() {
    using Self = CardThen;
    return std::make_tuple(field("number", &Self::number), field("uuid", &Self::uuid),
                           field("model", &Self::model), field("vram_bytes", &Self::vram_bytes),
                           field("used_bytes", &Self::used_bytes),
                           field("busy_percent", &Self::busy_percent),
                           field("temperature_celsius", &Self::temperature_celsius),
                           field("power_watts", &Self::power_watts),
                           field("drained", &Self::drained), field("jobs", &Self::jobs));
  }
};
struct ActiveThen {
  std::uint64_t id = 0;
  std::string name, user;
  std::vector<int> cards;
  std::optional<Wall> from;

  static constexpr std::string_view kName = "ActiveThen";
  static constexpr auto fields() {
    using Self = ActiveThen;
    return std::make_tuple(field("id", &Self::id), field("name", &Self::name, kOrNull),
                           field("user", &Self::user), field("cards", &Self::cards),
                           field("from", &Self::from, kAlways));
  }
};
struct WaitingThen {
  std::uint64_t id = 0;
  std::string name, user;
  int priority = 0;
  std::optional<Wall> submitted_at;

  static constexpr std::string_view kName = "WaitingThen";
  static constexpr auto fields() {
    using Self = WaitingThen;
    return std::make_tuple(field("id", &Self::id), field("name", &Self::name, kOrNull),
                           field("user", &Self::user), field("priority", &Self::priority),
                           field("submitted_at", &Self::submitted_at, kAlways));
  }
};
struct WhyThen {
  std::uint64_t job = 0;
  std::string state;
  std::vector<WaitingReason> reasons;
  std::string helps;

  static constexpr std::string_view kName = "WhyThen";
  static constexpr auto fields() {
    using Self = WhyThen;
    return std::make_tuple(
        field("job", &Self::job),
        field("state", &Self::state, {.words = "queued|held|running|ended|not_yet_submitted"}),
        field("reasons", &Self::reasons), field("helps", &Self::helps, kOrNull));
  }
};
struct Moment {
  int schema = 1;
  std::optional<Wall> at, known_since;
  std::vector<CardThen> cards;
  std::vector<ActiveThen> running, aside;
  std::vector<WaitingThen> waiting;
  std::uint64_t waiting_left_out = 0;
  std::optional<WhyThen> why;
  std::string limits_of_this_answer;

  static constexpr std::string_view kName = "Moment";
  static constexpr auto fields() {
    using Self = Moment;
    return std::make_tuple(
        field("schema", &Self::schema), field("at", &Self::at, kAlways),
        field("known_since", &Self::known_since, {.what = "what ended before may be missing"}),
        field("cards", &Self::cards), field("running", &Self::running),
        field("aside", &Self::aside), field("waiting", &Self::waiting),
        field("waiting_left_out", &Self::waiting_left_out), field("why", &Self::why),
        field("limits_of_this_answer", &Self::limits_of_this_answer,
              {.what = "what is approximated, for people"}));
  }
};

}  // namespace gpusched::wire
