// The settings of decisions: sharing, estimates, order.
#include <algorithm>

#include "config/calendar_text.h"
#include "config/setting_kinds.h"
#include "core/place/placement.h"

namespace gpusched {
namespace {

Setting placement_setting() {
  return {
      "scheduling", "placement",
      "Which of several cards a job gets. pack: the one where least is lost for those who wait. "
      "spread: the emptiest. round-robin: each in turn.",
      [](Config& config, const std::string& text) -> Result<void> {
        const auto placement = placement_named(text);
        if (!placement) {
          return wrong(fmt::format("\"{}\" is not pack, spread or round-robin", text));
        }
        config.rules.placement = *placement;
        return {};
      },
      [](const Config& config) { return std::string(placement_name(config.rules.placement)); }};
}

Setting calendar_setting() {
  return {"scheduling", "calendar",
          "Cards that jobs do not get at certain hours, in local time: days, hours, and free CARDS "
          "or most N, rules separated by semicolons (mon-fri 9:00-18:00 free 0,left; sat,sun "
          "8:00-20:00 most 2).",
          [](Config& config, const std::string& text) -> Result<void> {
            auto calendar = parse_calendar(text);
            if (!calendar) return failure(calendar.error());
            config.calendar = std::move(*calendar);
            return {};
          },
          [](const Config& config) { return quoted(calendar_text(config.calendar)); }};
}

Setting preemption_setting() {
  static constexpr const char* kWords[] = {"off", "cooperative", "auto"};
  return {"scheduling", "preemption",
          "What may be done to running jobs to make room for more important ones, and under "
          "pressure (jobs that share a card take more than may be shared): off: nothing; "
          "cooperative: jobs that save themselves are asked to; auto: also whatever loses nothing, "
          "and --restartable jobs are started over.",
          [](Config& config, const std::string& text) -> Result<void> {
            const auto word = std::ranges::find(kWords, text);
            if (word == std::end(kWords)) {
              return wrong(fmt::format("\"{}\" is not off, cooperative or auto", text));
            }
            config.rules.preemption = static_cast<Preemption>(word - std::begin(kWords));
            return {};
          },
          [](const Config& config) {
            return std::string(kWords[static_cast<std::size_t>(config.rules.preemption)]);
          }};
}

Setting foreign_load_setting() {
  return {"scheduling", "foreign_load",
          "What it means for jobs that processes which are no jobs compute on a card. wait: their "
          "load counts like that of jobs, and what does not fit beside it waits. ignore: only "
          "their memory counts.",
          [](Config& config, const std::string& text) -> Result<void> {
            if (text != "wait" && text != "ignore") {
              return wrong(fmt::format("\"{}\" is not wait or ignore", text));
            }
            config.rules.foreign_load = text == "wait" ? ForeignLoad::kWait : ForeignLoad::kIgnore;
            return {};
          },
          [](const Config& config) {
            return std::string(config.rules.foreign_load == ForeignLoad::kWait ? "wait" : "ignore");
          }};
}

void add_estimates(std::vector<Setting>& list) {
  const std::string in = "scheduling";
  list.push_back(on_or_off(in, "trust_history",
                           "Whether what past runs used may lower what a job declares. Off: it "
                           "only advises, and counts for jobs that declare nothing.",
                           PLACE(rules.estimates.trust_history)));
  list.push_back(number(in, "estimate_quantile_percent",
                        "A job that declares nothing is believed to need as much as this part of "
                        "its past runs did not exceed.",
                        PLACE(rules.estimates.quantile_percent), {1, 100}));
  list.push_back(number(in, "estimate_hold_percent",
                        "It holds this much of that, and no less than the largest of its last "
                        "five runs.",
                        PLACE(rules.estimates.hold_percent), {100, 400}));
  list.push_back(number(in, "oom_hold_percent",
                        "What the attempt after an out-of-memory failure holds, of what the failed "
                        "one held.",
                        PLACE(rules.estimates.oom_hold_percent), {100, 1000}));
  list.push_back(duration(in, "ramp",
                          "A job's load counts with its full estimate for so long after it is "
                          "first seen on its card, or until it has shown the part below.",
                          PLACE(rules.estimates.ramp), Seconds{86400}));
  list.push_back(number(in, "ramp_shown_percent", "See above: of its memory and of its load.",
                        PLACE(rules.estimates.ramp_shown_percent), {1, 100}));
  list.push_back(duration(in, "load_fall",
                          "The load of a process that counts is the highest of the last so many "
                          "seconds: it rises at once, and one that comes and goes lets nobody in.",
                          PLACE(rules.estimates.load_fall), Seconds{86400}));
  list.push_back(duration(in, "unknown_settle",
                          "A job of which nothing is known has its card alone until its memory has "
                          "grown less than the part below for so long after the ramp.",
                          PLACE(rules.estimates.settle_after), Seconds{30 * 86400}));
  list.push_back(number(in, "unknown_growth_percent", "See above.",
                        PLACE(rules.estimates.settle_growth_percent), {1, 50}));
  list.push_back(duration(in, "sibling_settle",
                          "When another job of its program waits, so long without growth is "
                          "enough, if it computes; the others are then judged by it.",
                          PLACE(rules.estimates.sibling_settle), Seconds{86400}));
  list.push_back(number(in, "unknown_hold_percent",
                        "Then it holds this much of its peak, and others may join it.",
                        PLACE(rules.estimates.settled_hold_percent), {100, 400}));
  list.push_back(preemption_setting());
  list.push_back(duration(in, "vram_limit_pause",
                          "A job that takes more than its --vram-limit is stopped for so long, in "
                          "which the limit can be raised, before it is ended. 0: ended at once.",
                          PLACE(rules.vram_limit_pause), Seconds{86400}));
}

void add_scheduling(std::vector<Setting>& list) {
  const std::string in = "scheduling";
  list.push_back(on_or_off(in, "sharing",
                           "Whether several jobs that declare their needs may share a card.",
                           PLACE(rules.sharing)));
  list.push_back(size(in, "headroom",
                      "VRAM per card that sharing never hands out: this much, or the percentage "
                      "below if that is more. A job alone on a card may use all of it.",
                      PLACE(rules.headroom_bytes_least), kAnySize));
  list.push_back(number(in, "headroom_percent", "The same, in percent of the card's VRAM.",
                        PLACE(rules.headroom_percent), {0, 50}));
  list.push_back(number(in, "share_cap_percent",
                        "How much of a card's compute sharing jobs may be promised in all.",
                        PLACE(rules.share_cap_percent), {50, 100}));
  list.push_back(foreign_load_setting());
  list.push_back(on_or_off(in, "adaptive_cap",
                           "Whether that moves by itself, card by card, inside the range below: "
                           "down where sharing brings heat, throttling or slow jobs, up where not.",
                           PLACE(rules.adaptive_cap.on)));
  list.push_back(number(in, "adaptive_cap_least", "See above.",
                        PLACE(rules.adaptive_cap.least_percent), {50, 100}));
  list.push_back(number(in, "adaptive_cap_most", "See above.",
                        PLACE(rules.adaptive_cap.most_percent), {50, 100}));
  list.push_back(number(in, "adaptive_slowdown_percent",
                        "How much slower than alone a job in company may be, by its own reports of "
                        "progress, before the cap goes down.",
                        PLACE(rules.adaptive_cap.slowdown_percent), {1, 1000}));
  list.push_back(number(in, "undeclared_free_percent",
                        "A job that says nothing about its memory starts only on a card of which "
                        "this much is free of foreign processes.",
                        PLACE(rules.undeclared_free_percent), {0, 100}));
  list.push_back(duration(in, "overdue_after",
                          "A job that has waited longer comes first in its priority band.",
                          PLACE(rules.overdue_after), kYear));
  list.push_back(duration(in, "deadline_slack",
                          "A job with a deadline comes first in its priority band when less than "
                          "this and half its run time is left until it must start.",
                          PLACE(rules.deadline_slack), kYear));
  list.push_back(duration(in, "usage_half_life",
                          "What a tenant used counts half as much after this time, and tenants "
                          "below their share come first in a band. 0: no fair share.",
                          PLACE(rules.usage_half_life), kYear));
  list.push_back(on_or_off(in, "users_may_reserve",
                           "Whether users may reserve cards in advance, each for oneself. "
                           "Administrators may, for anybody.",
                           PLACE(rules.users_may_reserve)));
  list.push_back(placement_setting());
  list.push_back(calendar_setting());
  list.push_back(duration(in, "look_ahead_every",
                          "How often the starts of waiting jobs are estimated anew while something "
                          "changes, on a thread of its own. 0: only when somebody asks.",
                          PLACE(look_ahead_every), Seconds{86400}));
}

}  // namespace

void add_scheduling_settings(std::vector<Setting>& list) {
  add_scheduling(list);
  add_estimates(list);
}

}  // namespace gpusched
