// What the machine's own past would have been with something changed.
#pragma once

#include "wire/message.h"
#include "wire/message_json.h"

namespace gpusched::wire {

struct WhatIfRequest {
  Seconds since{14 * 24 * 3600};
  std::vector<std::string> add_cards;
  CardList remove_cards;
  std::string policy = "default";
  std::optional<int> cap_percent;
  std::string without_tenant;
  Sorted<int> priority_of;

  static constexpr std::string_view kName = "WhatIfRequest";
  static constexpr auto fields() {
    using Self = WhatIfRequest;
    return std::make_tuple(
        field("since_s", &Self::since, {.what = "how far back, 1209600: 14 days"}),
        field("add_cards", &Self::add_cards, {.what = "\"24G\", \"H100:80G\""}),
        field("remove_cards", &Self::remove_cards),
        field("policy", &Self::policy, {.most = 80, .what = "as in gpusched simulate"}),
        field("cap_percent", &Self::cap_percent,
              {.least = 50, .most = 100, .what = "as scheduling.share_cap_percent"}),
        field("without_tenant", &Self::without_tenant, {.most = 255}),
        field("priority_of", &Self::priority_of, {.most = 100, .what = "by tenant"}));
  }
};

struct WhatIfMeasures {
  double average_wait_s = 0, median_wait_s = 0, p90_wait_s = 0, p99_wait_s = 0;
  double average_completion_s = 0;
  double utilisation_percent = 0;
  std::uint64_t preemptions = 0;
  double makespan_s = 0;

  static constexpr std::string_view kName = "WhatIfMeasures";
  static constexpr auto fields() {
    using Self = WhatIfMeasures;
    return std::make_tuple(
        field("average_wait_s", &Self::average_wait_s),
        field("median_wait_s", &Self::median_wait_s), field("p90_wait_s", &Self::p90_wait_s),
        field("p99_wait_s", &Self::p99_wait_s),
        field("average_completion_s", &Self::average_completion_s),
        field("utilisation_percent", &Self::utilisation_percent),
        field("preemptions", &Self::preemptions), field("makespan_s", &Self::makespan_s));
  }
};
struct WhatIfWaits {
  std::vector<std::uint64_t> edges_s;
  std::vector<std::uint64_t> was, as_configured, would;

  static constexpr std::string_view kName = "WhatIfWaits";
  static constexpr auto fields() {
    using Self = WhatIfWaits;
    return std::make_tuple(field("edges_s", &Self::edges_s, {.what = "where each count begins"}),
                           field("was", &Self::was), field("as_configured", &Self::as_configured),
                           field("would", &Self::would));
  }
};
// Average waits; null: none of its jobs is in that replay.
struct WhatIfTenant {
  std::string tenant;
  std::uint64_t jobs = 0;
  double was_wait_s = 0, as_configured_wait_s = 0;
  std::optional<double> would_wait_s;

  static constexpr std::string_view kName = "WhatIfTenant";
  static constexpr auto fields() {
    using Self = WhatIfTenant;
    return std::make_tuple(field("tenant", &Self::tenant), field("jobs", &Self::jobs),
                           field("was_wait_s", &Self::was_wait_s),
                           field("as_configured_wait_s", &Self::as_configured_wait_s),
                           field("would_wait_s", &Self::would_wait_s));
  }
};
struct WhatIfJob {
  std::uint64_t job = 0;
  std::string name, tenant;
  double was_wait_s = 0, as_configured_wait_s = 0, would_wait_s = 0;

  static constexpr std::string_view kName = "WhatIfJob";
  static constexpr auto fields() {
    using Self = WhatIfJob;
    return std::make_tuple(field("job", &Self::job), field("name", &Self::name, kOrNull),
                           field("tenant", &Self::tenant), field("was_wait_s", &Self::was_wait_s),
                           field("as_configured_wait_s", &Self::as_configured_wait_s),
                           field("would_wait_s", &Self::would_wait_s));
  }
};
struct WhatIf {
  int schema = 1;
  std::uint64_t jobs = 0;
  std::uint64_t left_out = 0;
  std::optional<Wall> since, until;
  WhatIfMeasures was, as_configured, would;
  WhatIfWaits waits;
  std::vector<WhatIfTenant> by_tenant;
  std::vector<WhatIfJob> moved_most;
  std::vector<std::string> notes;

  static constexpr std::string_view kName = "WhatIf";
  static constexpr auto fields() {
    using Self = WhatIf;
    return std::make_tuple(
        field("schema", &Self::schema), field("jobs", &Self::jobs, {.what = "that were replayed"}),
        field("left_out", &Self::left_out, {.what = "that never ran, or could not run"}),
        field("since", &Self::since, kAlways), field("until", &Self::until, kAlways),
        field("was", &Self::was, {.what = "as it really was"}),
        field("as_configured", &Self::as_configured, {.what = "replayed with nothing changed"}),
        field("would", &Self::would, {.what = "replayed with the change"}),
        field("waits", &Self::waits), field("by_tenant", &Self::by_tenant),
        field("moved_most", &Self::moved_most, {.what = "jobs whose waits differ most"}),
        field("notes", &Self::notes, {.what = "what this replay cannot know"}));
  }
};

}  // namespace gpusched::wire
